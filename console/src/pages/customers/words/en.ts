import { plural } from '../../../messages/plural.ts'

const en = {
  customer: 'Customer',
  name: 'Name',
  noName: 'No name',
  email: 'Email',
  phone: 'Phone',
  address: 'Address',
  city: 'City',
  postalCode: 'Postal code',
  country: 'Country',
  noCountry: 'No country',
  orders: 'Orders',
  spent: 'Spent',
  since: 'Customer since',
  latest: 'Latest order',
  newsletter: 'Newsletter',
  subscribed: 'Subscribed',
  notSubscribed: 'Not subscribed',
  success: 'Delivery success',
  successOf: (delivered: string, ended: string) => `${delivered} of ${ended} delivered`,
  noDeliveries: 'No delivery has ended yet',
  contact: 'Contact',
  allOrders: 'Show all orders',
  noOrders: 'No orders yet',
  searchHint: 'Name, email, phone, city…',
  create: 'New customer',
  created: 'Customer created',
  saved: 'Customer saved',
  edit: 'Edit customer',
  delete: 'Delete customer',
  deleteHelp: (count: number) =>
    plural('en', count, {
      one: 'The customer is deleted permanently. # order stays, without its link to the customer.',
      other: 'The customer is deleted permanently. # orders stay, without their link to the customer.',
    }),
  erase: 'Also erase name, contact and address from orders and reviews',
  eraseHelp: 'For a request to be forgotten. Amounts, items and countries stay for your books.',
  deleted: 'Customer deleted',
  views: { all: 'All', best: 'Best customers', recent: 'Recently changed' },
  empty: 'No customers yet',
  emptyHelp: 'Customers come with their first order. You can also add one here.',
  noMatch: 'No customer matches',
  noMatchHelp: 'Try a part of the name, the email or the phone number.',
}

export type CustomerWords = typeof en
export default en
