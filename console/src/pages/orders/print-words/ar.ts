import type { PrintWords } from './en.ts'

const ar: PrintWords = {
  title: 'طباعة',
  logo: 'الشعار',
  addLogo: 'إضافة شعار',
  changeLogo: 'تغيير الشعار',
  removeLogo: 'إزالة الشعار',
  logoSaved: 'حُفظ الشعار',
  logoRemoved: 'أُزيل الشعار',
  kind: 'ما يُطبع',
  kinds: { packing: 'قوائم التعبئة', invoice: 'الفواتير' },
  paper: 'الورق',
  papers: { a4: 'A4', a6: 'A6' },
  prices: 'الأسعار',
  pricesShown: { no: 'دون أسعار', yes: 'مع الأسعار' },
  invoice: 'فاتورة',
  packing: 'قائمة التعبئة',
  to: 'إلى',
  quantity: 'الوحدات',
  item: 'القطعة',
  unitPrice: 'السعر',
  amount: 'المبلغ',
  toPay: 'يُدفع عند الاستلام',
  alreadyPaid: 'مدفوعة',
  cut: (max) => `لا يُطبع في المرة الواحدة أكثر من أول ${max} طلب.`,
}
export default ar
