import { plural } from '../../../messages/plural.ts'
import type { BundleWords } from './en.ts'

const ar: BundleWords = {
  bundle: 'عرض مجمّع',
  create: 'عرض جديد',
  edit: 'تعديل العرض',
  name: 'الاسم',
  nameHelp: 'يراه الزبائن ويبقى في الطلب.',
  product: 'المنتج',
  status: 'الحالة',
  statuses: { active: 'نشط', inactive: 'غير نشط' },
  statusHelp: 'لا تُطلب إلا العروض النشطة.',
  options: 'الخيارات',
  optionCount: (count) =>
    plural('ar-TN', count, {
      zero: 'لا خيارات',
      one: 'خيار واحد',
      two: 'خياران',
      few: '# خيارات',
      many: '# خيارًا',
      other: '# خيار',
    }),
  option: (number) => `الخيار ${number}`,
  optionName: 'اسم الخيار',
  quantity: 'الوحدات',
  price: 'سعر كل الوحدات',
  add: 'إضافة خيار',
  remove: (name) => `إزالة \u2068${name}\u2069`,
  preview: (unit, usual, percent) =>
    `\u2068${unit}\u2069 للوحدة بدل \u2068${usual}\u2069: أقل بنسبة \u2068${percent}\u2069`,
  dearer: (unit, usual) => `\u2068${unit}\u2069 للوحدة؛ ثمنها وحدها \u2068${usual}\u2069`,
  same: (unit) => `\u2068${unit}\u2069 للوحدة، كما دون العرض`,
  unitOnly: (unit) => `\u2068${unit}\u2069 للوحدة`,
  created: 'أُنشئ',
  createdDone: 'تم إنشاء العرض',
  saved: 'تم حفظ العرض',
  delete: 'حذف العرض',
  deleted: 'تم حذف العرض',
  empty: 'لا توجد عروض مجمّعة بعد',
  emptyHelp: 'يقدّم العرض عدة وحدات من منتج بسعر واحد. أنشئ أول عرض.',
  noMatch: 'لا يوجد عرض يطابق التصفية',
  noMatchHelp: 'أزل أحد عوامل التصفية لترى البقية.',
  all: 'الكل',
  active: 'النشطة',
}
export default ar
