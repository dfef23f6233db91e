import account from './en/account.ts'
import controls from './en/controls.ts'
import problems from './en/problems.ts'
import shell from './en/shell.ts'

export default {
  account,
  controls,
  problems,
  shell,
}
