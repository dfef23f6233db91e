import account from './account.ts'
import common from './common.ts'
import customers from './customers.ts'
import files from './files.ts'
import home from './home.ts'
import landingPages from './landing-pages.ts'
import orders from './orders.ts'
import people from './people.ts'
import products from './products.ts'
import reviews from './reviews.ts'
import settings from './settings.ts'
import shell from './shell.ts'

export default {
  account,
  common,
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
