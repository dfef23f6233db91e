import type { OrderSettingWords } from './en.ts'

const fr: OrderSettingWords = {
  confirmation: 'Confirmation par téléphone',
  confirm: 'Nouvelles commandes qui attendent un appel',
  confirmHelp: 'Elles attendent sur la page « À confirmer ». Les commandes qui existent déjà restent telles quelles.',
  confirmChoices: {
    off: 'Aucune',
    all: 'Toutes les commandes impayées',
    some: 'Les commandes impayées avec certains modes de paiement',
  },
  methods: 'Modes de paiement',
  otherMethod: 'Un mode de paiement inactif',
  noMethod: 'Choisissez au moins un mode de paiement.',
  returns: 'Retours',
  restock: 'Quand les articles retournés reviennent en stock',
  restockChoices: { false: 'Quand le retour est enregistré', true: 'Quand le retour est reçu' },
  restockHelp: 'Vaut pour les retours enregistrés à partir de maintenant, et pour les articles remis en stock.',
  level: 'Ce que l’on sait d’un numéro de téléphone',
  levelHelp:
    'Décide si une commande est bonne, à surveiller ou mauvaise. Aucune commande n’est bloquée ; celles qui existent sont jugées de même.',
  share: 'Partager les chiffres avec d’autres boutiques',
  shareChoices: { false: 'Non partagés', true: 'Partagés' },
  shareHelp:
    'Pour chaque numéro, combien de ses commandes ont été livrées ou sont revenues, une fois par jour. Les autres boutiques qui partagent ne voient que la somme de plusieurs boutiques, jamais le numéro ni de qui viennent les commandes ; cette boutique voit alors les leurs.',
  fields: {
    min_parcels: 'Colis qu’il faut pour juger un numéro',
    careful_below: 'À surveiller sous cette part de colis livrés (%)',
    bad_below: 'Mauvais sous cette part de colis livrés (%)',
    min_address: 'Lettres d’une adresse utile, au moins',
    max_quantity: 'Articles d’une commande habituelle, au plus',
  },
}
export default fr
