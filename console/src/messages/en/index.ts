import account from './account.ts'
import common from './common.ts'
import home from './home.ts'
import orders from './orders.ts'
import products from './products.ts'
import shell from './shell.ts'

export default { account, common, home, orders, products, shell }
