import { COMMAND_LINE } from '../resources/accounts/audit.ts'
import {
  changeStaffRole,
  createStaffRole,
  deleteStaffRole,
  findStaffRole,
  listStaffRoles,
} from '../resources/accounts/staff-roles.ts'
import { CUSTOMER_VIEW_NOTE } from '../resources/permissions/catalogue.ts'
import { readPermissions } from '../resources/permissions/read-permissions.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { listedPermissions } from './listed-permissions.ts'

const STORE = { value: 'STORE_ID', required: true, about: 'The store, from store list.' }
const ROLE = { name: 'ROLE', about: 'Name or id of the role, from role list.' }
const NAME = { value: 'NAME', about: 'What people call it, such as Packer.' }
const GRANT = {
  value: 'PERM',
  many: true,
  about: `Permissions, such as order:view order:update, or all. ${CUSTOMER_VIEW_NOTE}`,
}

const shown = ({ id, name, people, permissions }: Awaited<ReturnType<typeof createStaffRole>>) => ({
  id,
  name,
  people,
  permissions,
})

export const roleCommands: readonly Command[] = [
  {
    name: 'role list',
    summary: 'Lists the named roles of a store, and how many people have each.',
    details: 'Who was invited and has not joined counts too.',
    options: { store: STORE },
    run: (input, io) =>
      withDatabase(io, 'role list', async ({ db }) => ({
        value: (await listStaffRoles(db, await requireStore(db, input.text('store')))).map(shown),
      })),
  },
  {
    name: 'role create',
    summary: 'Names a set of permissions that staff of a store can be given.',
    details: 'user grant EMAIL --role staff --store STORE_ID --as NAME gives it to somebody.',
    options: { store: STORE, name: { ...NAME, required: true }, grant: { ...GRANT, required: true } },
    run: (input, io) =>
      withDatabase(io, 'role create', async ({ db }) => {
        const store = await requireStore(db, input.text('store'))
        const permissions = readPermissions(listedPermissions(input))
        return {
          value: shown(await createStaffRole(db, COMMAND_LINE, store, { name: input.text('name'), permissions })),
        }
      }),
  },
  {
    name: 'role update',
    summary: 'Changes a role, and at once what everybody who has it may do.',
    operands: [ROLE],
    options: {
      store: STORE,
      name: { ...NAME, about: 'A new name.' },
      grant: { ...GRANT, about: 'Permissions to add, or all.' },
      revoke: { value: 'PERM', many: true, about: 'Permissions to take away.' },
    },
    run: (input, io) =>
      withDatabase(io, 'role update', async ({ db }) => {
        const name = input.optional('name')
        const added = readPermissions(listedPermissions(input))
        const removed = readPermissions(listedPermissions(input, 'revoke'))
        if (name === undefined && added.length + removed.length === 0)
          throw new UsageError('Give --name, --grant or --revoke.')
        const store = await requireStore(db, input.text('store'))
        const role = await findStaffRole(db, store, input.text('ROLE'))
        const permissions = [...new Set([...role.permissions, ...added])].filter((one) => !removed.includes(one))
        const { version } = role
        const change = { version, permissions, ...(name !== undefined && { name }) }
        return { value: shown(await changeStaffRole(db, COMMAND_LINE, store, role.id, change)) }
      }),
  },
  {
    name: 'role delete',
    summary: 'Deletes a role. Whoever has it keeps its permissions, or gets another role.',
    operands: [ROLE],
    options: { store: STORE, replacement: { value: 'ROLE', about: 'The role they get instead.' } },
    run: (input, io) =>
      withDatabase(io, 'role delete', async ({ db }) => {
        const store = await requireStore(db, input.text('store'))
        const { id, name } = await findStaffRole(db, store, input.text('ROLE'))
        const other = input.optional('replacement')
        const replacement = other === undefined ? undefined : (await findStaffRole(db, store, other)).id
        return { value: { deleted: name, people: await deleteStaffRole(db, COMMAND_LINE, store, id, replacement) } }
      }),
  },
]
