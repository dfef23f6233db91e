const en = {
  confirmation: 'Confirmation by phone',
  confirm: 'New orders that wait for a call',
  confirmHelp: 'They wait on the page “Confirm”. Orders that exist already stay as they are.',
  confirmChoices: { off: 'None', all: 'All unpaid orders', some: 'Unpaid orders with certain payment methods' },
  methods: 'Payment methods',
  otherMethod: 'A payment method that is inactive',
  noMethod: 'Choose at least one payment method.',
  returns: 'Returns',
  restock: 'When returned items go back into stock',
  restockChoices: { false: 'When the return is recorded', true: 'When the return is received' },
  restockHelp: 'Holds for returns that are recorded from now on, and for items that are put back at all.',
  level: 'What is known of a phone number',
  levelHelp:
    'Decides whether an order is good, careful or bad. It blocks no order, and counts for those that exist, too.',
  share: 'Share counts with other stores',
  shareChoices: { false: 'Not shared', true: 'Shared' },
  shareHelp:
    'For each phone number, how many of its orders were delivered and came back, once a day. Other stores that share see only the sum over several stores, never the number itself nor whose orders they are; this store then sees theirs.',
  fields: {
    min_parcels: 'Parcels it takes to judge a number',
    careful_below: 'Careful below this share of delivered parcels (%)',
    bad_below: 'Bad below this share of delivered parcels (%)',
    min_address: 'Letters of a useful address, at least',
    max_quantity: 'Items of a usual order, at most',
  },
}
export type OrderSettingWords = typeof en
export default en
