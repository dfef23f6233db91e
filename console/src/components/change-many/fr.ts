import { plural } from '../../messages/plural.ts'
import type { ChangeWords } from './en.ts'

const wordsFor = (one: string, many: string, isFeminine: boolean): ChangeWords['order'] => {
  const [e, first, which, all] = isFeminine
    ? ['e', 'premières', 'Quelles', 'Toutes celles']
    : ['', 'premiers', 'Quels', 'Tous ceux']
  return {
    act: (count) => plural('fr', count, { one: `Modifier # ${one}`, other: `Modifier # ${many}` }),
    scope: `${which} ${many}`,
    chosen: (count) => `Choisi${e}s : ${count}`,
    matching: (count) => `${all} qui correspondent aux filtres : ${count}`,
    first: (count) => `Les ${count} ${first} sont affiché${e}s.`,
    done: (count) => plural('fr', count, { one: `# ${one} modifié${e}`, other: `# ${many} modifié${e}s` }),
    undone: (count) => plural('fr', count, { one: `# ${one} est comme avant`, other: `# ${many} sont comme avant` }),
    notUndone: (count) =>
      plural('fr', count, {
        one: `# ${one} n’a pas pu être rétabli${e}`,
        other: `# ${many} n’ont pas pu être rétabli${e}s`,
      }),
    failed: (count) =>
      plural('fr', count, {
        one: `# ${one} n’a pas été modifié${e} et reste sélectionné${e}`,
        other: `# ${many} n’ont pas été modifié${e}s et restent sélectionné${e}s`,
      }),
  }
}

const fr: ChangeWords = {
  what: 'Que modifier',
  loading: (done, total) => `Chargement : ${done} sur ${total}…`,
  preview: (changed, total) => `${changed} sur ${total} vont changer.`,
  nothing: 'Rien ne changerait.',
  running: (done, total) => `Fait : ${done} sur ${total}`,
  inBackground: 'Cela continue si vous fermez cette page.',
  stop: 'Arrêter',
  stopped: 'Non effectué : l’opération a été arrêtée.',
  undo: 'Annuler',
  before: 'Avant',
  after: 'Après',
  order: wordsFor('commande', 'commandes', true),
  product: wordsFor('produit', 'produits', false),
  customer: wordsFor('client', 'clients', false),
  review: wordsFor('avis', 'avis', false),
  bundle: wordsFor('lot', 'lots', false),
  landing_page: wordsFor('page de vente', 'pages de vente', true),
}
export default fr
