import type { PrintWords } from './en.ts'

const fr: PrintWords = {
  title: 'Imprimer',
  logo: 'Logo',
  addLogo: 'Ajouter un logo',
  changeLogo: 'Changer de logo',
  removeLogo: 'Retirer le logo',
  logoSaved: 'Logo enregistré',
  logoRemoved: 'Logo retiré',
  kind: 'À imprimer',
  kinds: { packing: 'Bons de préparation', invoice: 'Factures' },
  paper: 'Papier',
  papers: { a4: 'A4', a6: 'A6' },
  prices: 'Prix',
  pricesShown: { no: 'Sans les prix', yes: 'Avec les prix' },
  invoice: 'Facture',
  packing: 'Bon de préparation',
  to: 'Destinataire',
  quantity: 'Unités',
  item: 'Article',
  unitPrice: 'Prix',
  amount: 'Montant',
  toPay: 'À payer à la livraison',
  alreadyPaid: 'Payée',
  cut: (max) => `Seules les ${max} premières commandes sont imprimées à la fois.`,
}
export default fr
