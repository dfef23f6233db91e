import account from './fr/account.ts'
import controls from './fr/controls.ts'
import customers from './fr/customers.ts'
import files from './fr/files.ts'
import home from './fr/home.ts'
import landingPages from './fr/landing-pages.ts'
import orders from './fr/orders.ts'
import people from './fr/people.ts'
import products from './fr/products.ts'
import reviews from './fr/reviews.ts'
import settings from './fr/settings.ts'
import shell from './fr/shell.ts'
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
