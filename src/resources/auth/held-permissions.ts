import { sql } from 'kysely'

/** The permissions of a membership or an invitation `m`: those of its named role, or else its own. */
export const heldPermissions = (m: 'm' | 'i' | 'membership' | 'invitation') =>
  sql<string[]>`coalesce((select r.permissions from staff_role r where r.store_id = ${sql.ref(m)}.store_id
    and r.id = ${sql.ref(m)}.role_id), ${sql.ref(m)}.permissions)`
