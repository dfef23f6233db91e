import { plural } from '../../../messages/plural.ts'
import type { ServicePlanWords } from './en.ts'

const ar: ServicePlanWords = {
  plansHelp: 'ما يمكن لمتاجر هذه الخدمة الاشتراك فيه. من دون باقة لا حدود لشيء.',
  empty: 'لا توجد باقة',
  emptyHelp: 'لا حدود لشيء، ولا يدفع أحد.',
  create: 'باقة جديدة',
  edit: 'تعديل الباقة',
  name: 'الاسم',
  price: 'سعر الفترة، دون الضريبة',
  currency: 'العملة',
  currencyHelp: 'رمز من ثلاثة أحرف مثل TND.',
  period: 'الفترة',
  periods: { month: 'شهر', year: 'سنة' },
  limitsHelp: 'فارغ: بلا حد. تسري الحدود الجديدة فورًا، والسعر الجديد من الفترة القادمة.',
  storage: 'التخزين بالميغابايت',
  offered: 'معروضة',
  withdrawn: 'لم تعد معروضة',
  stores: (count) =>
    plural('ar-TN', count, {
      zero: 'لا متاجر',
      one: 'متجر واحد',
      two: 'متجران',
      few: '# متاجر',
      many: '# متجرًا',
      other: '# متجر',
    }),
  invoicesHelp: 'لكل المتاجر، الأحدث أولًا.',
  noInvoices: 'لا توجد فواتير',
  markPaid: 'تسجيلها مدفوعة',
  markPaidAsk: (number) => `هل دُفعت الفاتورة \u2068${number}\u2069؟`,
  reference: 'مرجع الدفع',
  referenceHelp: 'يسمّي الدفع في دفاترك.',
  void: 'إلغاء الفاتورة',
  voidAsk: (number) => `هل تريد إلغاء الفاتورة \u2068${number}\u2069؟`,
  voidHelp: 'لن يمكن دفعها بعد ذلك. يبقى رقمها محجوزًا.',
  markedPaid: 'سُجّلت مدفوعة',
  voided: 'أُلغيت الفاتورة',
}
export default ar
