import account from './account.ts'
import common from './common.ts'
import customers from './customers.ts'
import home from './home.ts'
import orders from './orders.ts'
import products from './products.ts'
import reviews from './reviews.ts'
import shell from './shell.ts'

export default { account, common, customers, home, orders, products, reviews, shell }
