import { plural } from '../../../messages/plural.ts'

const en = {
  plansHelp: 'What stores of this service can subscribe to. Without a plan, nothing is limited.',
  empty: 'There is no plan',
  emptyHelp: 'Nothing is limited, and nobody is charged.',
  create: 'New plan',
  edit: 'Change plan',
  name: 'Name',
  price: 'Price of a period, without tax',
  currency: 'Currency',
  currencyHelp: 'Code of three letters, such as TND.',
  period: 'Period',
  periods: { month: 'Month', year: 'Year' },
  limitsHelp: 'Empty: no limit. New limits hold at once, a new price from the next period on.',
  storage: 'Storage in MB',
  offered: 'On offer',
  withdrawn: 'No longer on offer',
  stores: (count: number) => plural('en', count, { one: '# store', other: '# stores' }),
  invoicesHelp: 'Of all stores, the newest first.',
  noInvoices: 'There are no invoices',
  markPaid: 'Mark as paid',
  markPaidAsk: (number: string) => `Has invoice ${number} been paid?`,
  reference: 'Reference of the payment',
  referenceHelp: 'Names the payment in your books.',
  void: 'Void',
  voidAsk: (number: string) => `Void invoice ${number}?`,
  voidHelp: 'It can no longer be paid. Its number stays taken.',
  markedPaid: 'Marked as paid',
  voided: 'Voided',
}

export type ServicePlanWords = typeof en
export default en
