import { plural } from '../../messages/messages.ts'
import type { ChangeWords } from './en.ts'

const fr: ChangeWords = {
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
  order: {
    act: (count) => plural('fr', count, { one: 'Modifier # commande', other: 'Modifier # commandes' }),
    scope: 'Quelles commandes',
    chosen: (count) => `Choisies : ${count}`,
    matching: (count) => `Toutes celles qui correspondent aux filtres : ${count}`,
    first: (count) => `Les ${count} premières sont affichées.`,
    done: (count) => plural('fr', count, { one: '# commande modifiée', other: '# commandes modifiées' }),
    undone: (count) =>
      plural('fr', count, { one: '# commande est comme avant', other: '# commandes sont comme avant' }),
    notUndone: (count) =>
      plural('fr', count, {
        one: '# commande n’a pas pu être rétablie',
        other: '# commandes n’ont pas pu être rétablies',
      }),
    failed: (count) =>
      plural('fr', count, {
        one: '# commande n’a pas été modifiée et reste sélectionnée',
        other: '# commandes n’ont pas été modifiées et restent sélectionnées',
      }),
  },
  product: {
    act: (count) => plural('fr', count, { one: 'Modifier # produit', other: 'Modifier # produits' }),
    scope: 'Quels produits',
    chosen: (count) => `Choisis : ${count}`,
    matching: (count) => `Tous ceux qui correspondent aux filtres : ${count}`,
    first: (count) => `Les ${count} premiers sont affichés.`,
    done: (count) => plural('fr', count, { one: '# produit modifié', other: '# produits modifiés' }),
    undone: (count) => plural('fr', count, { one: '# produit est comme avant', other: '# produits sont comme avant' }),
    notUndone: (count) =>
      plural('fr', count, { one: '# produit n’a pas pu être rétabli', other: '# produits n’ont pas pu être rétablis' }),
    failed: (count) =>
      plural('fr', count, {
        one: '# produit n’a pas été modifié et reste sélectionné',
        other: '# produits n’ont pas été modifiés et restent sélectionnés',
      }),
  },
}
export default fr
