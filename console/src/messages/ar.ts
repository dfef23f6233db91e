import account from './ar/account.ts'
import controls from './ar/controls.ts'
import problems from './ar/problems.ts'
import shell from './ar/shell.ts'
import type { Messages } from './shape.ts'

const ar: Messages = { account, controls, problems, shell }
export default ar
