import type { BulkWords } from './en.ts'

const ar: BulkWords = {
  what: 'ماذا يتغيّر',
  changes: { paid: 'وضع علامة «مدفوع»', archive: 'أرشفة', unarchive: 'إخراج من الأرشيف' },
  onlyUnpaid: 'تبقى الطلبات الملغاة والمتروكة كما هي.',
  inList: 'في القائمة',
}
export default ar
