import type { Db, Tx } from '../core/storage/database.ts'
import { OperatorError } from '../errors.ts'
import { COMMAND_LINE } from '../resources/accounts/audit.ts'
import { grantRole, revokeRole } from '../resources/accounts/change-role.ts'
import { disableAccount, enableAccount } from '../resources/accounts/disable-account.ts'
import { invite, listInvitations } from '../resources/accounts/invitations.ts'
import { linkAccount } from '../resources/accounts/link-account.ts'
import { createFirstCode, firstLinkCode, linkAddress } from '../resources/accounts/one-time-links.ts'
import { findAccount, listAccounts, requireAccount } from '../resources/accounts/queries.ts'
import { checkGrant, type Grant, ROLES, type Role } from '../resources/accounts/roles.ts'
import { endOtherSessions, listSessions } from '../resources/accounts/sessions.ts'
import { findStaffRole } from '../resources/accounts/staff-roles.ts'
import { masterSecret } from '../resources/auth/secrets.ts'
import { CUSTOMER_VIEW_NOTE } from '../resources/permissions/catalogue.ts'
import { clearSecondFactor } from '../resources/second-factor/factors.ts'
import { readRequirement, requireSecondFactor } from '../resources/second-factor/requirement.ts'
import { REQUIRED_OF } from '../resources/second-factor/schema.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { listedPermissions } from './listed-permissions.ts'
import { commandEntry, recorded } from './recorded.ts'

const EMAIL = { name: 'EMAIL', about: 'Email of the account, from user list.' }

const ROLE_OPTIONS = {
  role: { value: 'ROLE', required: true, about: 'operator (may do everything), owner, staff or developer.' },
  store: { value: 'STORE_ID', about: 'The store of an owner or of staff, from store list.' },
  app: { value: 'CLIENT_ID', about: 'The app of a developer, from app list.' },
  grant: {
    value: 'PERM',
    many: true,
    about: `Permissions of staff, such as order:view order:update, or all. ${CUSTOMER_VIEW_NOTE}`,
  },
  as: { value: 'NAME', about: 'Named role of staff, from role list, instead of permissions.' },
} as const

const { as: _as, ...WITHOUT_NAME } = ROLE_OPTIONS

const readRole = (input: Input): Grant => {
  const role = input.text('role') as Role
  if (!ROLES.includes(role)) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`)
  return { role, store: input.optional('store'), app: input.optional('app'), permissions: listedPermissions(input) }
}

const readGrant = async (db: Db, input: Input): Promise<Grant> => {
  const grant = readRole(input)
  const named = input.optional('as')
  if (named === undefined) return grant
  checkGrant(grant)
  if (grant.role !== 'staff' || !grant.store) throw new UsageError('--as is for --role staff.')
  return { ...grant, role_id: (await findStaffRole(db, await requireStore(db, grant.store), named)).id }
}

const SET_PASSWORD = 'Pass the link on privately: whoever opens it first sets the password.'
const JOIN = 'Pass the link on privately: whoever opens it first gets the role, with an account they have or a new one.'

export const userCommands: readonly Command[] = [
  {
    name: 'user create',
    summary: 'Invites a person to the console and shows a link to create the account.',
    details:
      'The link works once, for three days. It gives the role to whoever redeems it; nothing is granted before. Running ' +
      'this again replaces the link. Passwords are never given on the command line.',
    options: {
      email: { value: 'EMAIL', required: true, about: 'Email to sign in with. The person may choose another.' },
      name: { value: 'NAME', about: 'Name of the person.' },
      ...ROLE_OPTIONS,
    },
    run: (input, io) =>
      withDatabase(io, 'user create', async ({ db, config }) => {
        const person = { email: input.text('email'), name: input.text('name') }
        const grant = await readGrant(db, input)
        if (await findAccount(db, person.email))
          throw new OperatorError(
            `${person.email} already has an account. Use user grant for another role, or user link for a lost password.`,
          )
        const { email, code } = await invite(db, COMMAND_LINE, person, grant)
        return { value: { email, name: person.name, link: linkAddress(config, code) }, note: JOIN }
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
    name: 'user invitations',
    summary: 'Lists invitations that nobody has accepted yet.',
    details: 'Without link_expires_at, the link has expired: user create makes a new one, user revoke withdraws it.',
    run: (_input, io) =>
      withDatabase(io, 'user invitations', async ({ db }) => ({ value: await listInvitations(db).execute() })),
  },
  {
    name: 'user link',
    summary: 'Shows a new link to set a new password.',
    details: 'The link works once, for a day. Earlier links stop working.',
    operands: [EMAIL],
    run: (input, io) =>
      withDatabase(io, 'user link', async ({ db, config }) => ({
        value: { link: linkAddress(config, await linkAccount(db, COMMAND_LINE, input.text('EMAIL'))) },
        note: SET_PASSWORD,
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
    name: 'user sessions',
    summary: 'Lists where a person is signed in.',
    operands: [EMAIL],
    run: (input, io) =>
      withDatabase(io, 'user sessions', async ({ db, config }) => {
        const { id } = await requireAccount(db, input.text('EMAIL'))
        const sessions = await listSessions(db, id, config.SESSION_HOURS)
        return { value: sessions.map(({ is_current: _, ...session }) => session) }
      }),
  },
  {
    name: 'user sign-out',
    summary: 'Signs a person out everywhere, at once. The person signs in again.',
    operands: [EMAIL],
    run: (input, io) =>
      withDatabase(io, 'user sign-out', async ({ db }) => {
        const { id, email } = await requireAccount(db, input.text('EMAIL'))
        await recorded(
          db,
          (db) => endOtherSessions(db, id),
          () => ({ act: 'end_sessions', subject: email }),
        )
        return { value: { signed_out: email } }
      }),
  },
  {
    name: 'user clear-second-factor',
    summary: 'Removes the second factor of a person who has lost it, and the recovery codes.',
    details: 'All sessions end. The person signs in with the password, and sets up a new one if it is required.',
    operands: [EMAIL],
    run: (input, io) =>
      withDatabase(io, 'user clear-second-factor', async ({ db }) => {
        const account = await requireAccount(db, input.text('EMAIL'))
        await clearSecondFactor(db, COMMAND_LINE, account)
        return { value: { cleared: account.email } }
      }),
  },
  {
    name: 'user grant',
    summary: 'Changes the role of a member of a store at once, or shows a link for another role.',
    details:
      'Staff get these permissions in addition, or with --as what the role says instead. A role in a store that the account does not belong to, operator and ' +
      'developer take effect when the person opens the link and signs in: nobody has proven who an email belongs to.',
    operands: [EMAIL],
    options: ROLE_OPTIONS,
    run: (input, io) =>
      withDatabase(io, 'user grant', async ({ db, config }) => {
        const email = input.text('EMAIL')
        const grant = await readGrant(db, input)
        const code = await grantRole(db, COMMAND_LINE, email, grant)
        if (!code) return { value: { granted: grant.role, email } }
        return { value: { invited: grant.role, email, link: linkAddress(config, code) }, note: JOIN }
      }),
  },
  {
    name: 'user revoke',
    summary: 'Takes a role from an account, effective at once, or withdraws an invitation to it.',
    details:
      'With --grant, staff loses only these permissions, and has no named role afterwards; an invitation is withdrawn as a whole. The last operator and the ' +
      'last owner of a store cannot be removed.',
    operands: [EMAIL],
    options: WITHOUT_NAME,
    run: (input, io) =>
      withDatabase(io, 'user revoke', async ({ db }) => {
        const grant = readRole(input)
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
        const first = createFirstCode(await masterSecret(db, config))
        const make = async (db: Tx) => {
          const code = await firstLinkCode(db, first, { renew: true })
          if (code) return code
          throw new OperatorError('There is already an operator. For a lost password, use user link EMAIL.')
        }
        const code = await recorded(db, make, () => commandEntry('console link', {}))
        return { value: { link: linkAddress(config, code) }, note: SET_PASSWORD }
      }),
  },
  {
    name: 'console second-factor',
    summary: 'Shows who must have a second factor to use the console, or changes it.',
    details:
      'Whoever must have one and has none sets one up before anything else, also in sessions that are open now. For ' +
      'somebody who has lost it, see user clear-second-factor.',
    options: { require: { value: 'WHOM', about: `${REQUIRED_OF.join(', ')}.` } },
    run: (input, io) =>
      withDatabase(io, 'console second-factor', async ({ db }) => {
        const given = input.optional('require')
        const of = REQUIRED_OF.find((value) => value === given)
        if (given !== undefined && !of) throw new UsageError(`--require must be one of ${REQUIRED_OF.join(', ')}.`)
        if (of) await requireSecondFactor(db, COMMAND_LINE, of)
        return { value: { required_of: await readRequirement(db) } }
      }),
  },
]
