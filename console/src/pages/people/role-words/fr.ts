import { plural } from '../../../messages/plural.ts'
import type { RoleWords } from './en.ts'

const fr: RoleWords = {
  title: 'Rôles',
  help: 'Des permissions sous un nom, pour tous ceux qui font le même travail. Un changement vaut aussitôt pour tous.',
  empty: 'Il n’y a pas encore de rôle',
  emptyHelp:
    'Nommez ce que les préparateurs ou les agents peuvent faire, et donnez-le à tous ceux qui font ce travail.',
  create: 'Nouveau rôle',
  edit: 'Modifier le rôle',
  name: 'Nom du rôle',
  nameHelp: 'Le nom du travail, par exemple Préparateur.',
  own: 'Permissions propres',
  ownHelp: 'Peut faire ce que vous choisissez ci-dessous.',
  namedHelp: 'Peut faire ce que dit le rôle, maintenant et après un changement :',
  people: (count) => plural('fr', count, { zero: 'Personne', one: '# personne', other: '# personnes' }),
  changes: (count) =>
    plural('fr', count, {
      one: '# personne a ce rôle. Ce que vous changez vaut aussitôt pour elle.',
      other: '# personnes ont ce rôle. Ce que vous changez vaut aussitôt pour elles.',
    }),
  created: 'Rôle créé',
  changed: 'Rôle modifié',
  deleteRole: 'Supprimer le rôle',
  deleteAsk: (name) => `Supprimer le rôle ${name} ?`,
  deleteNobody: 'Personne ne l’a.',
  deleteHelp: (count) => plural('fr', count, { one: '# personne l’a.', other: '# personnes l’ont.' }),
  keep: 'Garder les mêmes permissions, sans rôle',
  get: (name) => `Recevoir le rôle ${name}`,
  afterwards: 'Ce qui leur arrive',
  deleted: 'Rôle supprimé',
  explain: 'Ce que permet ce rôle',
}
export default fr
