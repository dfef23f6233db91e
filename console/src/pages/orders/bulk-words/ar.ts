import { plural } from '../../../messages/messages.ts'
import type { BulkWords } from './en.ts'

const orders = (count: number) =>
  plural('ar', count, {
    zero: '# طلب',
    one: 'طلب واحد',
    two: 'طلبين',
    few: '# طلبات',
    many: '# طلبًا',
    other: '# طلب',
  })

const ar: BulkWords = {
  title: (count) => `تعديل ${orders(count)}`,
  what: 'ماذا يتغيّر',
  changes: { paid: 'وضع علامة «مدفوع»', archive: 'أرشفة', unarchive: 'إخراج من الأرشيف' },
  onlyUnpaid: 'تبقى الطلبات الملغاة والمتروكة كما هي.',
  scope: 'أي طلبات',
  chosen: (count) => `المختارة: ${count}`,
  matching: (count) => `كل ما يطابق عوامل التصفية: ${count}`,
  loading: (done, total) => `يُحمَّل ${done} من ${total}…`,
  preview: (changed, total) => `سيتغيّر ${changed} من ${total}.`,
  first: (count) => `يظهر أول ${count}.`,
  nothing: 'لن يتغيّر شيء.',
  act: (count) => `تعديل ${orders(count)}`,
  running: (done, total) => `تم ${done} من ${total}`,
  inBackground: 'يستمر ذلك إذا أغلقت هذه الصفحة.',
  stop: 'إيقاف',
  done: (count) => `تم تعديل ${orders(count)}`,
  undone: (count) => `عاد إلى ما كان عليه: ${orders(count)}`,
  failed: (count) => `لم يُعدَّل ${orders(count)}`,
  before: 'قبل',
  after: 'بعد',
  inList: 'في القائمة',
}
export default ar
