import { plural } from '../../../messages/plural.ts'
import type { SystemWords } from './en.ts'

const ar: SystemWords = {
  service: 'الخدمة',
  database: 'قاعدة البيانات',
  queues: 'قوائم الانتظار',
  node: 'Node.js',
  workers: 'عمليات HTTP',
  since: 'يعمل منذ',
  memory: 'ذاكرة العملية التي أجابت',
  latest: 'آخر ترحيل',
  applied: 'الترحيلات المطبّقة',
  pending: 'الترحيلات المعلّقة',
  none: 'لا شيء',
  version: 'PostgreSQL',
  embedded: 'مدمجة',
  external: 'خارجية',
  size: 'حجم قاعدة البيانات',
  connections: 'الاتصالات',
  free: 'المساحة الحرة على القرص',
  shards: 'أجزاء الطلبات',
  bulkJobs: 'مهام الاستيراد المنتظرة أو الجارية',
  lifecycle: 'رسائل التطبيقات المنتظرة',
  checks: 'الفحوص',
  checkAgain: 'فحص من جديد',
  noFaults: 'كل شيء على ما يرام. وقت الفحص:',
  faults: (count) =>
    plural('ar-TN', count, {
      zero: 'لا ملاحظات. وقت الفحص:',
      one: 'ملاحظة واحدة. وقت الفحص:',
      two: 'ملاحظتان. وقت الفحص:',
      few: '# ملاحظات. وقت الفحص:',
      many: '# ملاحظة. وقت الفحص:',
      other: '# ملاحظة. وقت الفحص:',
    }),
  findings: { ok: 'سليم', note: 'تنبيه', fault: 'عطل' },
  repair: 'ما يفعله doctor --repair',
  nothingToRepair: 'لا شيء: النصوص التي قورنت مطابقة لصفوفها. مع --all تُقارن كلها.',
  repairHelp: 'إعادة كتابة هذه النصوص مما قورن. مع --all تُقارن كلها.',
}
export default ar
