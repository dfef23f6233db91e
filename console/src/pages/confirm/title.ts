import { pageWords } from '../../messages/page-words.ts'

export const useConfirmTitle = pageWords({ en: 'Confirm', fr: 'À confirmer', ar: 'تأكيد الطلبات' })
