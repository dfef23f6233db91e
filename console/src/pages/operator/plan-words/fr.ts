import { plural } from '../../../messages/plural.ts'
import type { ServicePlanWords } from './en.ts'

const fr: ServicePlanWords = {
  plansHelp: 'Les abonnements que les boutiques peuvent prendre. Sans offre, rien n’est limité.',
  empty: 'Il n’y a aucune offre',
  emptyHelp: 'Rien n’est limité et personne n’est facturé.',
  create: 'Nouvelle offre',
  edit: 'Modifier l’offre',
  name: 'Nom',
  price: 'Prix d’une période, hors taxes',
  currency: 'Devise',
  currencyHelp: 'Code de trois lettres, par exemple TND.',
  period: 'Période',
  periods: { month: 'Mois', year: 'Année' },
  limitsHelp:
    'Vide : sans limite. Les nouvelles limites valent aussitôt, un nouveau prix à partir de la prochaine période.',
  storage: 'Stockage en Mo',
  offered: 'Proposée',
  withdrawn: 'N’est plus proposée',
  stores: (count) => plural('fr', count, { one: '# boutique', other: '# boutiques' }),
  invoicesHelp: 'De toutes les boutiques, les plus récentes d’abord.',
  noInvoices: 'Il n’y a pas de factures',
  markPaid: 'Marquer comme payée',
  markPaidAsk: (number) => `La facture ${number} est-elle payée ?`,
  reference: 'Référence du paiement',
  referenceHelp: 'Désigne le paiement dans votre comptabilité.',
  void: 'Annuler la facture',
  voidAsk: (number) => `Annuler la facture ${number} ?`,
  voidHelp: 'Elle ne pourra plus être payée. Son numéro reste pris.',
  markedPaid: 'Marquée comme payée',
  voided: 'Facture annulée',
}
export default fr
