import { plural } from '../../../messages/plural.ts'
import type { ReviewWords } from './en.ts'

const ar: ReviewWords = {
  review: 'التقييم',
  views: { pending: 'قيد الانتظار', published: 'المنشورة', hidden: 'المخفية', all: 'الكل' },
  status: { pending: 'قيد الانتظار', published: 'منشور', hidden: 'مخفي' },
  publish: 'نشر',
  hide: 'إخفاء',
  published: 'تم نشر التقييم',
  hiddenDone: 'تم إخفاء التقييم',
  restored: 'تم التراجع',
  undo: 'تراجع',
  delete: 'حذف التقييم',
  deleted: 'تم حذف التقييم',
  rating: 'التقييم',
  atLeast: (stars) =>
    plural('ar-TN', stars, {
      zero: 'كل النجوم',
      one: 'نجمة أو أكثر',
      two: 'نجمتان أو أكثر',
      few: '# نجوم أو أكثر',
      many: '# نجمة أو أكثر',
      other: '# نجمة أو أكثر',
    }),
  stars: (stars) =>
    plural('ar-TN', stars, {
      zero: 'دون نجوم',
      one: 'نجمة واحدة',
      two: 'نجمتان',
      few: '# نجوم',
      many: '# نجمة',
      other: '# نجمة',
    }),
  product: 'المنتج',
  more: 'عرض المزيد',
  shown: (shown, total) => `${shown} من ${total}`,
  keys: 'المفاتيح: j وk للتنقل، p للنشر، h للإخفاء، d للحذف.',
  emptyPending: 'لا توجد تقييمات قيد الانتظار',
  emptyPendingHelp: 'تظهر التقييمات الجديدة هنا قبل أن يراها المتسوقون.',
  empty: 'لا توجد تقييمات هنا',
  emptyHelp: 'تأتي التقييمات من المتجر أو التطبيقات. انظر في عرض آخر أو أزل أحد عوامل التصفية.',
  picture: (name) => `صورة من \u2068${name}\u2069`,
}
export default ar
