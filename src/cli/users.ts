import { COMMAND_LINE } from '../accounts/audit.ts'
import { grantRole, revokeRole } from '../accounts/change-role.ts'
import { createAccount } from '../accounts/create-account.ts'
import { disableAccount, enableAccount } from '../accounts/disable-account.ts'
import { linkAccount } from '../accounts/link-account.ts'
import { createFirstCode, firstLinkCode, linkAddress } from '../accounts/one-time-links.ts'
import { listAccounts } from '../accounts/queries.ts'
import { type Grant, ROLES, type Role } from '../accounts/roles.ts'
import { masterSecret } from '../auth/secrets.ts'
import { OperatorError } from '../errors.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const EMAIL = { name: 'EMAIL', about: 'Email of the account, from user list.' }

const ROLE_OPTIONS = {
  role: { value: 'ROLE', required: true, about: 'operator (may do everything), owner, staff or developer.' },
  store: { value: 'STORE_ID', about: 'The store of an owner or of staff, from store list.' },
  app: { value: 'CLIENT_ID', about: 'The app of a developer, from app list.' },
  grant: { value: 'PERM', many: true, about: 'Permissions of staff, such as order:view order:update, or all.' },
} as const

const readGrant = (input: Input): Grant => {
  const role = input.text('role') as Role
  if (!ROLES.includes(role)) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`)
  return {
    role,
    store: input.optional('store'),
    app: input.optional('app'),
    permissions: input
      .list('grant')
      .flatMap((word) => word.split(','))
      .filter((word) => word !== ''),
  }
}

const PASS_ON = 'Pass the link on privately: whoever opens it first sets the password.'

export const userCommands: readonly Command[] = [
  {
    name: 'user create',
    summary: 'Creates an account for the console and shows a link to set its password.',
    details: 'The link works once, for three days. Passwords are never given on the command line.',
    options: {
      email: { value: 'EMAIL', required: true, about: 'Email to sign in with.' },
      name: { value: 'NAME', about: 'Name of the person.' },
      ...ROLE_OPTIONS,
    },
    run: (input, io) =>
      withDatabase(io, 'user create', async ({ db, config }) => {
        const person = { email: input.text('email'), name: input.text('name') }
        const { account, code } = await createAccount(db, COMMAND_LINE, person, readGrant(input))
        return { value: { email: account.email, name: account.name, link: linkAddress(config, code) }, note: PASS_ON }
      }),
  },
  {
    name: 'user list',
    summary: 'Lists the accounts of the console with their roles.',
    run: (_input, io) =>
      withDatabase(io, 'user list', async ({ db }) => {
        const value = await listAccounts(db)
        return {
          value,
          shown: value.map(({ stores, ...account }) => ({
            ...account,
            stores: stores.map(({ store_id, role }) => `${role} of ${store_id}`),
          })),
        }
      }),
  },
  {
    name: 'user link',
    summary: 'Shows a new link to set a new password.',
    details: 'The link works once, for a day. Earlier links stop working.',
    operands: [EMAIL],
    run: (input, io) =>
      withDatabase(io, 'user link', async ({ db, config }) => ({
        value: { link: linkAddress(config, await linkAccount(db, COMMAND_LINE, input.text('EMAIL'))) },
        note: PASS_ON,
      })),
  },
  {
    name: 'user disable',
    summary: 'Disables an account. Its sessions end at once.',
    operands: [EMAIL],
    run: (input, io) =>
      withDatabase(io, 'user disable', async ({ db }) => {
        await disableAccount(db, COMMAND_LINE, input.text('EMAIL'))
        return { value: { disabled: input.text('EMAIL') } }
      }),
  },
  {
    name: 'user enable',
    summary: 'Enables a disabled account. The person signs in again.',
    operands: [EMAIL],
    run: (input, io) =>
      withDatabase(io, 'user enable', async ({ db }) => {
        await enableAccount(db, COMMAND_LINE, input.text('EMAIL'))
        return { value: { enabled: input.text('EMAIL') } }
      }),
  },
  {
    name: 'user grant',
    summary: 'Gives an account a role, or staff more permissions, effective at once.',
    operands: [EMAIL],
    options: ROLE_OPTIONS,
    run: (input, io) =>
      withDatabase(io, 'user grant', async ({ db }) => {
        const grant = readGrant(input)
        await grantRole(db, COMMAND_LINE, input.text('EMAIL'), grant)
        return { value: { granted: grant.role, email: input.text('EMAIL') } }
      }),
  },
  {
    name: 'user revoke',
    summary: 'Takes a role from an account, effective at once.',
    details:
      'With --grant, staff loses only these permissions. The last operator and the last owner of a store cannot be removed.',
    operands: [EMAIL],
    options: ROLE_OPTIONS,
    run: (input, io) =>
      withDatabase(io, 'user revoke', async ({ db }) => {
        const grant = readGrant(input)
        await revokeRole(db, COMMAND_LINE, input.text('EMAIL'), grant)
        return { value: { revoked: grant.role, email: input.text('EMAIL') } }
      }),
  },
  {
    name: 'console link',
    summary: 'Shows the link for the first operator to set up the console.',
    details: 'The link works once, for an hour, and only while there is no operator. Earlier links stop working.',
    run: (_input, io) =>
      withDatabase(io, 'console link', async ({ db, config }) => {
        const code = await firstLinkCode(db, createFirstCode(await masterSecret(db, config)), { renew: true })
        if (!code) throw new OperatorError('There is already an operator. For a lost password, use user link EMAIL.')
        return { value: { link: linkAddress(config, code) }, note: PASS_ON }
      }),
  },
]
