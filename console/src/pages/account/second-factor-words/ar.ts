import { plural } from '../../../messages/plural.ts'
import type { Widen } from '../../../messages/shape.ts'
import type en from './en.ts'

const words: Widen<typeof en> = {
  title: 'العامل الثاني',
  help: 'شيء لا يملكه غيرك، إلى جانب كلمة المرور. من يعرف كلمة مرورك لا يدخل بدونه.',
  required: 'مشغّل هذه الخدمة يشترطه.',
  requiredTitle: 'هيّئ عاملًا ثانيًا',
  requiredHelp: 'مشغّل هذه الخدمة يشترطه. يستغرق ذلك دقيقة، ومرة واحدة فقط.',
  authenticator: 'تطبيق المصادقة',
  authenticatorHelp: 'يعرض رمزًا جديدًا كل 30 ثانية.',
  addAuthenticator: 'تهيئة تطبيق',
  replaceAuthenticator: 'الانتقال إلى هاتف آخر',
  scan: 'امسح هذا الرمز بتطبيق مصادقة على هاتفك، أو اكتب المفتاح فيه.',
  qr: 'رمز QR لتطبيق المصادقة',
  key: 'المفتاح',
  firstCode: 'الرمز الذي يعرضه التطبيق',
  finish: 'إنهاء',
  passkey: 'مفتاح مرور',
  passkeyHelp: 'قفل هذا الجهاز، أو مفتاح أمان.',
  addPasskey: 'إضافة مفتاح مرور',
  passkeyName: 'اسم مفتاح المرور',
  passkeyNameHelp: 'لتتعرف عليه في هذه القائمة.',
  onlyByName: 'تحتاج مفاتيح المرور إلى عنوان فيه اسم مضيف. لا تتيحها المتصفحات عند العناوين الرقمية.',
  added: 'تمت الإضافة',
  remove: 'إزالة',
  removeAsk: (name) => `إزالة «\u2068${name}\u2069»؟`,
  removeHelp: 'لن يُطلب بعد ذلك. بدون أي عامل ثانٍ تكفي كلمة المرور وحدها.',
  removed: 'تمت الإزالة',
  lastStays: 'يبقى الأخير: مشغّل هذه الخدمة يشترطه.',
  recovery: 'رموز الاسترداد',
  codesLeft: (count) =>
    plural('ar-TN', count, {
      zero: 'لم يبق أي رمز',
      one: 'بقي رمز واحد',
      two: 'بقي رمزان',
      few: 'بقيت # رموز',
      many: 'بقي # رمزًا',
      other: 'بقي # رمز',
    }),
  renew: 'رموز جديدة',
  renewAsk: 'إنشاء رموز استرداد جديدة؟',
  renewHelp: 'تتوقف الرموز التي لديك عن العمل.',
  codesTitle: 'احتفظ برموز الاسترداد هذه',
  codesHelp:
    'يفتح كل رمز حسابك مرة واحدة إن فقدت هاتفك أو مفتاحك. لن تُعرض مرة أخرى: اطبعها، أو ضعها حيث تحفظ كلمات المرور.',
  copy: 'نسخ',
  download: 'تنزيل',
  kept: 'احتفظت بها',
  otherAccount: 'تسجيل الخروج',
}
export default words
