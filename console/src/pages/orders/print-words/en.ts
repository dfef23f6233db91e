const en = {
  title: 'Print',
  kind: 'What to print',
  kinds: { packing: 'Packing lists', invoice: 'Invoices' },
  paper: 'Paper',
  papers: { a4: 'A4', a6: 'A6' },
  prices: 'Prices',
  pricesShown: { no: 'Without prices', yes: 'With prices' },
  invoice: 'Invoice',
  packing: 'Packing list',
  to: 'To',
  quantity: 'Units',
  item: 'Item',
  unitPrice: 'Price',
  amount: 'Amount',
  toPay: 'To be paid on delivery',
  alreadyPaid: 'Paid',
  cut: (max: string) => `Only the first ${max} orders are printed at once.`,
}
export type PrintWords = typeof en
export default en
