import { plural } from '../../../messages/messages.ts'
import type { BulkWords } from './en.ts'

const fr: BulkWords = {
  title: (count) => plural('fr', count, { one: 'Modifier # commande', other: 'Modifier # commandes' }),
  what: 'Que modifier',
  changes: { paid: 'Marquer comme payées', archive: 'Archiver', unarchive: 'Sortir des archives' },
  onlyUnpaid: 'Les commandes annulées ou abandonnées restent telles quelles.',
  scope: 'Quelles commandes',
  chosen: (count) => `Choisies : ${count}`,
  matching: (count) => `Toutes celles qui correspondent aux filtres : ${count}`,
  loading: (done, total) => `Chargement : ${done} sur ${total}…`,
  preview: (changed, total) => `${changed} sur ${total} vont changer.`,
  first: (count) => `Les ${count} premières sont affichées.`,
  nothing: 'Rien ne changerait.',
  act: (count) => plural('fr', count, { one: 'Modifier # commande', other: 'Modifier # commandes' }),
  running: (done, total) => `${done} sur ${total} faites`,
  inBackground: 'Cela continue si vous fermez cette page.',
  stop: 'Arrêter',
  done: (count) => plural('fr', count, { one: '# commande modifiée', other: '# commandes modifiées' }),
  undone: (count) => plural('fr', count, { one: '# commande est comme avant', other: '# commandes sont comme avant' }),
  failed: (count) =>
    plural('fr', count, { one: '# commande n’a pas été modifiée', other: '# commandes n’ont pas été modifiées' }),
  before: 'Avant',
  after: 'Après',
  inList: 'Dans la liste',
}
export default fr
