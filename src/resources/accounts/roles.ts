import { OperatorError } from '../../errors.ts'
import { readPermissions } from '../permissions/read-permissions.ts'

export const ROLES = ['operator', 'owner', 'staff', 'developer'] as const

export type Role = (typeof ROLES)[number]

/** A role: operator of everything, owner or staff of a store, or developer of an app. */
export interface Grant {
  role: Role
  /** Id of the store, for owners and staff. */
  store?: string | undefined
  /** Client id of the app, for developers. */
  app?: string | undefined
  /** Of staff; `all` means every permission. */
  permissions?: readonly string[]
  /** Of staff: a named role of the store instead of permissions. */
  role_id?: string | undefined
  /** Replaces the existing permissions instead of adding to them. */
  exact?: boolean
}

export const checkGrant = ({ role, store, app, permissions, role_id }: Grant) => {
  const needsStore = role === 'owner' || role === 'staff'
  if (needsStore && !store) throw new OperatorError(`The role ${role} needs --store.`)
  if (role === 'developer' && !app) throw new OperatorError('The role developer needs --app.')
  if (!needsStore && store) throw new OperatorError(`The role ${role} takes no --store.`)
  if (role !== 'developer' && app) throw new OperatorError(`The role ${role} takes no --app.`)
  if (role !== 'staff' && (permissions?.length || role_id))
    throw new OperatorError('Only staff has permissions of its own.')
  if (role_id && permissions?.length) throw new OperatorError('A named role has its own permissions: give no others.')
}

/** The permissions of staff after a grant. Owners and named roles have none of their own. */
export const grantedPermissions = (
  { role, permissions = [], exact = false }: Grant,
  before: readonly string[] = [],
) => {
  const added = readPermissions(permissions)
  if (role !== 'staff') return []
  const all = [...new Set([...(exact ? [] : before), ...added])].sort()
  if (all.length === 0) throw new OperatorError('Staff needs permissions: --grant order:view, or --grant all.')
  return all
}
