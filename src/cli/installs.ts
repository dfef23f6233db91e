import type { Tx } from '../core/storage/database.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import { grantPermissions, revokePermissions } from '../resources/auth/change-permissions.ts'
import { createInstallation } from '../resources/auth/create-installation.ts'
import { listInstallations, requireNamedApp } from '../resources/auth/queries.ts'
import { removeInstallation } from '../resources/auth/remove-installation.ts'
import { CUSTOMER_VIEW_NOTE, PERMISSIONS } from '../resources/permissions/catalogue.ts'
import type { Command } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import type { Row } from './command-result.ts'
import { recorded } from './recorded.ts'

const INSTALL_ID = { name: 'INSTALL_ID', about: 'Id of the installation, from install list.' }
const PERM = { name: 'PERM', many: true, about: 'Permissions such as product:view order:create, or all.' }
const MAX_LINE = 90
const lines: string[] = []
for (const permission of PERMISSIONS) {
  const longer = `${lines.at(-1) ?? ''} ${permission}`.trimStart()
  if (lines.length > 0 && longer.length <= MAX_LINE) lines[lines.length - 1] = longer
  else lines.push(permission)
}
const WHOLE_LIST = `All permissions:\n  ${lines.join('\n  ')}\n${CUSTOMER_VIEW_NOTE}`

const named = (words: readonly string[]) => words.flatMap((word) => word.split(',')).filter((word) => word !== '')

/** Shortens the list of permissions: fifty names do not fit into a table. */
const shown = <T extends Row & { permissions: readonly string[] }>(installation: T): Row => ({
  ...installation,
  permissions: installation.permissions.length === PERMISSIONS.length ? 'all' : installation.permissions,
})

interface Changed {
  client_id: string
  store_id: StoreId
  permissions: readonly string[]
}

const ofInstallation = async (
  db: Tx,
  act: 'install_app' | 'change_permissions' | 'uninstall_app',
  { client_id, store_id, permissions }: Changed,
) => {
  const { id: app_id, name: subject } = await requireNamedApp(db, client_id)
  return { act, subject, app_id, store_id, ...(act !== 'uninstall_app' && { after: { permissions } }) }
}

export const installCommands: readonly Command[] = [
  {
    name: 'install create',
    summary: 'Installs an app on a store with the given permissions.',
    details: WHOLE_LIST,
    options: {
      app: { value: 'CLIENT_ID', required: true, about: 'Client id of the app, from app list.' },
      store: { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' },
      grant: { value: 'PERM', required: true, many: true, about: PERM.about },
    },
    run: (input, io) =>
      withDatabase(io, 'install create', async ({ db }) => {
        const grants = named(input.list('grant'))
        const value = await recorded(
          db,
          (db) => createInstallation(db, input.text('app'), input.text('store'), grants),
          (installed, db) => ofInstallation(db, 'install_app', installed),
        )
        return { value, shown: shown(value) }
      }),
  },
  {
    name: 'install list',
    summary: 'Lists the installations with their apps, stores and permissions.',
    run: (_input, io) =>
      withDatabase(io, 'install list', async ({ db }) => {
        const value = await listInstallations(db)
        return { value, shown: value.map(shown) }
      }),
  },
  {
    name: 'install grant',
    summary: 'Grants an installation more permissions, effective at once.',
    details: WHOLE_LIST,
    operands: [INSTALL_ID, PERM],
    run: (input, io) =>
      withDatabase(io, 'install grant', async ({ db }) => {
        const value = await recorded(
          db,
          (db) => grantPermissions(db, input.text('INSTALL_ID'), named(input.list('PERM'))),
          (changed, db) => ofInstallation(db, 'change_permissions', changed),
        )
        return { value, shown: shown(value) }
      }),
  },
  {
    name: 'install revoke',
    summary: 'Revokes permissions of an installation, effective at once.',
    operands: [INSTALL_ID, PERM],
    run: (input, io) =>
      withDatabase(io, 'install revoke', async ({ db }) => {
        const value = await recorded(
          db,
          (db) => revokePermissions(db, input.text('INSTALL_ID'), named(input.list('PERM'))),
          (changed, db) => ofInstallation(db, 'change_permissions', changed),
        )
        return { value, shown: shown(value) }
      }),
  },
  {
    name: 'install remove',
    summary: 'Deletes an installation. Its tokens stop working at once. Store data is kept.',
    operands: [INSTALL_ID],
    run: (input, io) =>
      withDatabase(io, 'install remove', async ({ db }) => {
        const value = await recorded(
          db,
          (db) => removeInstallation(db, input.text('INSTALL_ID')),
          (removed, db) => ofInstallation(db, 'uninstall_app', removed),
        )
        return { value, shown: shown(value) }
      }),
  },
]
