import account from './account.ts'
import common from './common.ts'
import orders from './orders.ts'
import products from './products.ts'
import shell from './shell.ts'

export default { common, shell, account, orders, products }
