import { plural } from '../../../messages/messages.ts'
import type { InventoryWords } from './en.ts'

const change = (count: number) => plural('fr', count, { one: 'Modifier # variante', other: 'Modifier # variantes' })

const fr: InventoryWords = {
  searchHint: 'Produit ou SKU',
  find: 'Chercher',
  shown: 'Afficher',
  filters: { all: 'Tous les produits', out: 'En rupture', in: 'En stock' },
  variant: 'Variante',
  stock: 'En stock',
  difference: 'Écart',
  differenceOf: (name) => `Écart pour ${name}`,
  after: 'Après',
  help: 'Un écart s’ajoute à ce qu’il y a au moment d’enregistrer : les commandes passées entre-temps gardent leur part.',
  save: change,
  discard: 'Abandonner',
  changed: (count) => plural('fr', count, { one: '# variante modifiée', other: '# variantes modifiées' }),
  notNumber: 'Saisissez un nombre entier, par exemple -2 ou 10.',
  refused: (count) =>
    plural('fr', count, { one: '# variante n’a pas changé.', other: '# variantes n’ont pas changé.' }),
  paste: 'Coller une liste',
  pasteTitle: 'Stock depuis un tableur',
  pasteLabel: 'SKU et nombre, une variante par ligne',
  pasteHelp: 'Copiez deux colonnes d’un tableur. 1 000 lignes au plus.',
  mode: 'Les nombres sont',
  modes: { delta: 'des écarts : ajoutés au stock', quantity: 'des quantités : elles remplacent le stock' },
  preview: 'Aperçu',
  before: 'Avant',
  badLine: (line) => `La ligne ${line} n’a pas de SKU avec un nombre entier.`,
  tooMany: '1 000 lignes au plus à la fois.',
  unknown: 'Aucune variante n’a ce SKU.',
  ambiguous: 'Plusieurs variantes ont ce SKU.',
  twice: 'Ce SKU est donné deux fois.',
  short: (left) => `Il n’en reste que ${left}.`,
  failed: 'Impossible',
  apply: change,
  empty: 'Aucun stock à compter',
  emptyHelp: 'Les produits dont le stock est suivi apparaissent ici avec toutes leurs variantes.',
  noMatch: 'Aucun résultat',
  noMatchHelp: 'Cherchez un autre mot ou un autre SKU.',
}
export default fr
