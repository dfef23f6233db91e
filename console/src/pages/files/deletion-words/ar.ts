import { plural } from '../../../messages/plural.ts'
import type { DeletionWords } from './en.ts'

const ar: DeletionWords = {
  title: 'حذف الملفات التي لا يستخدمها شيء',
  act: (count) =>
    plural('ar-TN', count, {
      zero: 'لا ملفات للحذف',
      one: 'حذف ملف واحد',
      two: 'حذف ملفين',
      few: 'حذف # ملفات',
      many: 'حذف # ملفًا',
      other: 'حذف # ملف',
    }),
  scope: 'أي الملفات',
  chosen: (count) => `المختارة: ${count}`,
  matching: (count) => `كل ما يطابق عوامل التصفية: ${count}`,
  reading: (count) => `وُجد حتى الآن: ${count}…`,
  checking: 'جارٍ البحث عما يستخدمها…',
  summary: (count, total, size) => `سيُحذف ${count} من ${total}، وحجمها \u2068${size}\u2069.`,
  kept: (count) =>
    plural('ar-TN', count, {
      zero: 'لا شيء منها مستخدم.',
      one: 'ملف واحد مستخدم ويبقى.',
      two: 'ملفان مستخدمان ويبقيان.',
      few: '# ملفات مستخدمة وتبقى.',
      many: '# ملفًا مستخدمًا وتبقى.',
      other: '# ملف مستخدم وتبقى.',
    }),
  none: 'لن يُحذف شيء.',
  atMost: (count) => `يُحذف ${count} في كل مرة، ثم اختر من جديد.`,
  first: (count) => `يظهر أول ${count} منها.`,
  what: 'ما سيحدث',
  goes: 'يُحذف',
  stays: 'يبقى',
  gone: 'لم يعد موجودًا',
  more: 'وغيرها',
  inUse: 'أصبح مستخدمًا.',
}
export default ar
