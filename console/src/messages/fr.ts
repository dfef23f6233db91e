import account from './fr/account.ts'
import controls from './fr/controls.ts'
import problems from './fr/problems.ts'
import shell from './fr/shell.ts'
import type { Messages } from './shape.ts'

const fr: Messages = { account, controls, problems, shell }
export default fr
