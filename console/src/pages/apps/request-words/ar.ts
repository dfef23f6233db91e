import { plural } from '../../../messages/plural.ts'
import type { Widen } from '../../../messages/shape.ts'
import type en from './en.ts'

const ar: Widen<typeof en> = {
  title: 'يطلب التطبيق المزيد',
  because: (person) => `رُفضت طلبات لهذا التطبيق لأن هذه الصلاحيات تنقصه. يطلبها \u2068${person}\u2069 من مطوّريه.`,
  grant: 'منح',
  decline: 'رفض',
  grantAsk: (app) => `ما الذي يجوز لتطبيق \u2068${app}\u2069 أن يفعله زيادةً؟`,
  grantHelp: 'يجوز له فورًا ما تُفعّله. وما تتركه يُعدّ مرفوضًا.',
  declineAsk: (app) => `رفض ما يطلبه \u2068${app}\u2069؟`,
  declineHelp: 'يواصل التطبيق العمل بما لديه. ولمطوّريه أن يطلبوا من جديد بعد أسبوع.',
  granted: (count) =>
    plural('ar-TN', count, {
      zero: 'لم تُمنح أي صلاحية',
      one: 'مُنحت صلاحية واحدة',
      two: 'مُنحت صلاحيتان',
      few: 'مُنحت # صلاحيات',
      many: 'مُنحت # صلاحية',
      other: 'مُنحت # صلاحية',
    }),
  declined: 'تم الرفض',
}

export default ar
