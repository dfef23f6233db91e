import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { type Grant, grantedPermissions } from './roles.ts'
import { holdStaffRole } from './staff-roles.ts'

/** What a membership or an invitation holds after a grant, and how the audit log shows it. */
export const grantedAccess = async (db: Tx, store_id: StoreId | null, grant: Grant, before?: readonly string[]) => {
  const { role, role_id } = grant
  if (role_id && store_id) {
    const { name } = await holdStaffRole(db, store_id, role_id)
    return { values: { role, role_id, permissions: [] }, shown: { role, named: name } }
  }
  const permissions = grantedPermissions(grant, before)
  return { values: { role, role_id: null, permissions }, shown: { role, permissions } }
}
