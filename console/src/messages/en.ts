import account from './en/account.ts'
import apps from './en/apps.ts'
import controls from './en/controls.ts'
import customers from './en/customers.ts'
import files from './en/files.ts'
import home from './en/home.ts'
import landingPages from './en/landing-pages.ts'
import orders from './en/orders.ts'
import people from './en/people.ts'
import plans from './en/plans.ts'
import problems from './en/problems.ts'
import products from './en/products.ts'
import reviews from './en/reviews.ts'
import settings from './en/settings.ts'
import shell from './en/shell.ts'

export default {
  account,
  apps,
  controls,
  customers,
  files,
  home,
  landingPages,
  orders,
  people,
  plans,
  problems,
  products,
  reviews,
  settings,
  shell,
}
