import { plural } from '../../../messages/plural.ts'
import type { DeletionWords } from './en.ts'

const fr: DeletionWords = {
  title: 'Supprimer les fichiers que rien n’utilise',
  act: (count) => plural('fr', count, { one: 'Supprimer # fichier', other: 'Supprimer # fichiers' }),
  scope: 'Quels fichiers',
  chosen: (count) => `Choisis : ${count}`,
  matching: (count) => `Tous ceux qui correspondent aux filtres : ${count}`,
  reading: (count) => `Trouvés jusqu’ici : ${count}…`,
  checking: 'Recherche de ce qui les utilise…',
  summary: (count, total, size) => `${count} sur ${total} seront supprimés, ${size} en tout.`,
  kept: (count) => plural('fr', count, { one: '# est utilisé et reste.', other: '# sont utilisés et restent.' }),
  none: 'Rien ne serait supprimé.',
  atMost: (count) => `${count} sont supprimés à la fois : recommencez ensuite.`,
  first: (count) => `Les ${count} premiers d’entre eux sont affichés.`,
  what: 'Ce qui se passe',
  goes: 'Est supprimé',
  stays: 'Reste',
  gone: 'N’existe plus',
  more: 'et d’autres',
  inUse: 'Il est utilisé entre-temps.',
}
export default fr
