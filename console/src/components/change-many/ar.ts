import { plural } from '../../messages/plural.ts'
import type { ChangeWords } from './en.ts'

type Count = (count: number) => string

const orders: Count = (count) =>
  plural('ar-TN', count, {
    zero: '# طلب',
    one: 'طلب واحد',
    two: 'طلبين',
    few: '# طلبات',
    many: '# طلبًا',
    other: '# طلب',
  })
const customers: Count = (count) =>
  plural('ar-TN', count, {
    zero: '# زبون',
    one: 'زبون واحد',
    two: 'زبونين',
    few: '# زبائن',
    many: '# زبونًا',
    other: '# زبون',
  })
const reviews: Count = (count) =>
  plural('ar-TN', count, {
    zero: '# تقييم',
    one: 'تقييم واحد',
    two: 'تقييمين',
    few: '# تقييمات',
    many: '# تقييمًا',
    other: '# تقييم',
  })
const bundles: Count = (count) =>
  plural('ar-TN', count, {
    zero: '# عرض',
    one: 'عرض واحد',
    two: 'عرضين',
    few: '# عروض',
    many: '# عرضًا',
    other: '# عرض',
  })
const landingPages: Count = (count) =>
  plural('ar-TN', count, {
    zero: '# صفحة هبوط',
    one: 'صفحة هبوط واحدة',
    two: 'صفحتي هبوط',
    few: '# صفحات هبوط',
    many: '# صفحة هبوط',
    other: '# صفحة هبوط',
  })

const wordsFor = (many: string, counted: Count): ChangeWords['order'] => ({
  act: (count) => `تعديل ${counted(count)}`,
  scope: `أي ${many}`,
  chosen: (count) => `المختارة: ${count}`,
  matching: (count) => `كل ما يطابق عوامل التصفية: ${count}`,
  first: (count) => `يظهر أول ${count}.`,
  done: (count) => `تم تعديل ${counted(count)}`,
  undone: (count) => `عاد إلى ما كان عليه: ${counted(count)}`,
  notUndone: (count) => `تعذّر إرجاع ${counted(count)}`,
  failed: (count) => `لم يُعدَّل ما بقي محددًا: ${counted(count)}`,
})

const ar: ChangeWords = {
  what: 'ماذا يتغيّر',
  loading: (done, total) => `يُحمَّل ${done} من ${total}…`,
  preview: (changed, total) => `سيتغيّر ${changed} من ${total}.`,
  nothing: 'لن يتغيّر شيء.',
  running: (done, total) => `تم ${done} من ${total}`,
  inBackground: 'يستمر ذلك إذا أغلقت هذه الصفحة.',
  stop: 'إيقاف',
  stopped: 'لم يُنفَّذ: أُوقفت العملية.',
  undo: 'تراجع',
  before: 'قبل',
  after: 'بعد',
  order: wordsFor('طلبات', orders),
  customer: wordsFor('زبائن', customers),
  review: wordsFor('تقييمات', reviews),
  bundle: wordsFor('عروض', bundles),
  landing_page: wordsFor('صفحات', landingPages),
  product: {
    act: (count) =>
      plural('ar-TN', count, {
        zero: 'لا منتجات للتعديل',
        one: 'تعديل منتج واحد',
        two: 'تعديل منتجين',
        few: 'تعديل # منتجات',
        many: 'تعديل # منتجًا',
        other: 'تعديل # منتج',
      }),
    scope: 'أي المنتجات',
    chosen: (count) => `المحدد: ${count}`,
    matching: (count) => `كل ما يطابق التصفية: ${count}`,
    first: (count) => `تظهر أول ${count}.`,
    done: (count) =>
      plural('ar-TN', count, {
        zero: 'لم يُعدّل أي منتج',
        one: 'عُدّل منتج واحد',
        two: 'عُدّل منتجان',
        few: 'عُدّلت # منتجات',
        many: 'عُدّل # منتجًا',
        other: 'عُدّل # منتج',
      }),
    undone: (count) =>
      plural('ar-TN', count, {
        zero: 'لم يُسترجع أي منتج',
        one: 'عاد منتج واحد كما كان',
        two: 'عاد منتجان كما كانا',
        few: 'عادت # منتجات كما كانت',
        many: 'عاد # منتجًا كما كان',
        other: 'عاد # منتج كما كان',
      }),
    notUndone: (count) =>
      plural('ar-TN', count, {
        zero: 'لم يتعذر استرجاع أي منتج',
        one: 'تعذر استرجاع منتج واحد',
        two: 'تعذر استرجاع منتجين',
        few: 'تعذر استرجاع # منتجات',
        many: 'تعذر استرجاع # منتجًا',
        other: 'تعذر استرجاع # منتج',
      }),
    failed: (count) =>
      plural('ar-TN', count, {
        zero: 'لم يفشل أي منتج',
        one: 'لم يُعدّل منتج واحد وبقي محددًا',
        two: 'لم يُعدّل منتجان وبقيا محددين',
        few: 'لم تُعدّل # منتجات وبقيت محددة',
        many: 'لم يُعدّل # منتجًا وبقيت محددة',
        other: 'لم يُعدّل # منتج وبقيت محددة',
      }),
  },
}
export default ar
