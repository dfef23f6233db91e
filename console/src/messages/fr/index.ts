import type { Messages } from '../messages.ts'
import account from './account.ts'
import common from './common.ts'
import home from './home.ts'
import orders from './orders.ts'
import products from './products.ts'
import shell from './shell.ts'

const messages: Messages = { account, common, home, orders, products, shell }
export default messages
