import type { BulkWords } from './en.ts'

const fr: BulkWords = {
  what: 'Que modifier',
  changes: { paid: 'Marquer comme payées', archive: 'Archiver', unarchive: 'Sortir des archives' },
  onlyUnpaid: 'Les commandes annulées ou abandonnées restent telles quelles.',
  inList: 'Dans la liste',
}
export default fr
