import { plural } from '../../../messages/plural.ts'
import type { ReviewWords } from './en.ts'

const fr: ReviewWords = {
  review: 'Avis',
  views: { pending: 'En attente', published: 'Publiés', hidden: 'Masqués', all: 'Tous' },
  status: { pending: 'En attente', published: 'Publié', hidden: 'Masqué' },
  publish: 'Publier',
  hide: 'Masquer',
  published: 'Avis publié',
  hiddenDone: 'Avis masqué',
  restored: 'Annulé',
  undo: 'Annuler',
  delete: 'Supprimer l’avis',
  deleted: 'Avis supprimé',
  rating: 'Note',
  atLeast: (stars) => plural('fr', stars, { one: '# étoile ou plus', other: '# étoiles ou plus' }),
  stars: (stars) => plural('fr', stars, { one: '# étoile', other: '# étoiles' }),
  product: 'Produit',
  more: 'Afficher plus',
  shown: (shown, total) => `${shown} sur ${total}`,
  keys: 'Touches : j et k pour naviguer, p pour publier, h pour masquer, d pour supprimer.',
  emptyPending: 'Aucun avis en attente',
  emptyPendingHelp: 'Les nouveaux avis apparaissent ici avant que les clients les voient.',
  empty: 'Aucun avis ici',
  emptyHelp: 'Les avis viennent de la boutique ou des applications. Changez de vue ou retirez un filtre.',
  picture: (name) => `Image de ${name}`,
}
export default fr
