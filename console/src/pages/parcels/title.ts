import { pageWords } from '../../messages/page-words.ts'

export const useDeliveriesTitle = pageWords({ en: 'Deliveries', fr: 'Livraisons', ar: 'الشحنات' })
