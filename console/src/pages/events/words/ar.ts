import type { EventWords } from './en.ts'

const ar: EventWords = {
  help: 'ما يراه التطبيق في سجل أحداث المتجر برمز خاص به. تُعرض أحدث 200.',
  type: 'النوع',
  since: 'منذ',
  periods: { '1': 'ساعة', '24': 'أمس', '168': 'أسبوع', '720': '30 يومًا' },
  live: 'مباشر',
  connected: 'في انتظار الأحداث…',
  empty: 'لم يحدث شيء',
  emptyHelp: 'اختر وقتًا أسبق أو نوعًا آخر، أو غيّر شيئًا في المتجر فيظهر هنا فورًا.',
  event: 'الحدث',
  resource: 'المورد',
  changed: 'الحقول المتغيّرة',
  by: 'من',
  nobody: 'لا أحد: ‏SQL أو تطبيق لم يعد موجودًا',
  time: 'الوقت',
  position: 'موضعه في السجل',
  id: 'المعرّف',
  previous: 'قبل ذلك',
  data: 'البيانات كما هي الآن',
  copy: 'نسخ بصيغة JSON',
}
export default ar
