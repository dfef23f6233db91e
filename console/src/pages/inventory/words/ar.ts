import { plural } from '../../../messages/messages.ts'
import type { InventoryWords } from './en.ts'

const variants = (verb: string) => (count: number) =>
  plural('ar-TN', count, {
    zero: verb,
    one: `${verb} متغير واحد`,
    two: `${verb} متغيرين`,
    few: `${verb} # متغيرات`,
    many: `${verb} # متغيرًا`,
    other: `${verb} # متغير`,
  })

const ar: InventoryWords = {
  searchHint: 'منتج أو SKU',
  find: 'بحث',
  shown: 'عرض',
  filters: { all: 'كل المنتجات', out: 'نفد من المخزون', in: 'متوفر' },
  variant: 'المتغير',
  stock: 'في المخزون',
  difference: 'الفرق',
  differenceOf: (name) => `الفرق لـ\u2068${name}\u2069`,
  after: 'بعده',
  help: 'يُضاف الفرق إلى الموجود عند الحفظ، فتحتفظ الطلبات التي جاءت في الأثناء بنصيبها.',
  save: variants('تغيير'),
  discard: 'تجاهل',
  changed: variants('تم تغيير'),
  notNumber: 'أدخل عددًا صحيحًا، مثل ‎-2 أو 10.',
  refused: variants('لم يتم تغيير'),
  paste: 'لصق قائمة',
  pasteTitle: 'المخزون من جدول بيانات',
  pasteLabel: 'SKU وعدد، متغير في كل سطر',
  pasteHelp: 'انسخ عمودين من جدول بيانات. 1000 سطر على الأكثر.',
  mode: 'الأعداد هي',
  modes: { delta: 'فروق تُضاف إلى المخزون', quantity: 'كميات تحل محل المخزون' },
  preview: 'معاينة',
  before: 'قبله',
  badLine: (line) => `ليس في السطر ${line} رمز SKU مع عدد صحيح.`,
  tooMany: '1000 سطر على الأكثر في المرة الواحدة.',
  unknown: 'لا متغير له رمز SKU هذا.',
  ambiguous: 'عدة متغيرات لها رمز SKU هذا.',
  twice: 'رمز SKU هذا مكرر.',
  short: (left) => `لم يبق سوى ${left}.`,
  failed: 'غير ممكن',
  apply: variants('تغيير'),
  empty: 'لا مخزون لعدّه',
  emptyHelp: 'تظهر هنا المنتجات التي يُحسب مخزونها مع كل متغيراتها.',
  noMatch: 'لا نتائج',
  noMatchHelp: 'ابحث عن كلمة أخرى أو رمز SKU آخر.',
}
export default ar
