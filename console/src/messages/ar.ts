import account from './ar/account.ts'
import controls from './ar/controls.ts'
import customers from './ar/customers.ts'
import files from './ar/files.ts'
import home from './ar/home.ts'
import landingPages from './ar/landing-pages.ts'
import orders from './ar/orders.ts'
import people from './ar/people.ts'
import products from './ar/products.ts'
import reviews from './ar/reviews.ts'
import settings from './ar/settings.ts'
import shell from './ar/shell.ts'
import type { Messages } from './messages.ts'

const messages: Messages = {
  account,
  controls,
  customers,
  files,
  home,
  landingPages,
  orders,
  people,
  products,
  reviews,
  settings,
  shell,
}
export default messages
