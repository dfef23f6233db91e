import { plural } from '../../../messages/plural.ts'
import type { AbandonedWords } from './en.ts'

const ar: AbandonedWords = {
  customer: 'الزبون',
  phone: 'الهاتف',
  when: 'تُركت',
  items: 'القطع',
  total: 'المجموع',
  searchHint: 'الاسم أو الهاتف أو المرجع…',
  all: 'الكل',
  recent: 'آخر 7 أيام',
  dismissedView: 'المستبعدة',
  contact: 'اتصال',
  contactOf: (name) => `الاتصال بـ\u2068${name}\u2069`,
  language: 'لغة الرسالة',
  message: 'الرسالة',
  messageHelp: 'عدّلها قبل إرسالها. لا ترسل الواجهة شيئًا من نفسها.',
  call: 'مكالمة',
  whatsapp: 'WhatsApp',
  mail: 'بريد إلكتروني',
  noContact: 'ليس لهذا الطلب رقم هاتف ولا بريد إلكتروني.',
  subject: (store) => `طلبك من ${store}`,
  template: (name, items, total, store, atTheDoor) =>
    `مرحبًا${name && ` \u2068${name}\u2069`}،\n\nتركت طلبًا في \u2068${store}\u2069: ${items.map((item) => `\u2068${item}\u2069`).join('، ')}، والمجموع \u2068${total}\u2069.${atTheDoor ? ' تدفع عند الاستلام.' : ''}\n\nهل نرسله إليك؟`,
  convert: 'تحويله إلى طلب',
  convertAsk: (ref) => `هل تريد تحويل \u2068${ref}\u2069 إلى طلب؟`,
  convertHelp: 'تُؤخذ قطعه من المخزون، وينتظر الدفع والتوصيل كأي طلب آخر.',
  noStock: 'لم تعد المنتجات متوفرة في المخزون. زد المخزون أو عدّل أسطر الطلب.',
  converted: 'أصبح طلبًا',
  dismiss: 'استبعاد',
  restore: 'إعادة',
  dismissed: (count) =>
    plural('ar-TN', count, {
      zero: 'لم يُستبعد شيء',
      one: 'تم الاستبعاد',
      two: 'استُبعد طلبان',
      few: 'استُبعدت # طلبات',
      many: 'استُبعد # طلبًا',
      other: 'استُبعد # طلب',
    }),
  restored: 'عاد إلى القائمة',
  undo: 'تراجع',
  empty: 'لا طلبات متروكة',
  emptyHelp: 'تظهر هنا الطلبات التي بدأها الزبائن ولم يكملوها، لتتصل بهم.',
  noMatch: 'لا شيء يطابق التصفية',
  noMatchHelp: 'أزل أحد عوامل التصفية، أو انظر في الطلبات المستبعدة.',
}
export default ar
