import type { Db } from '../storage/database.ts'
import { revokeRole } from './change-role.ts'
import { asFieldError, requirePerson } from './people.ts'
import type { SessionAccount } from './sessions.ts'

export const removePerson = async (db: Db, actor: SessionAccount, store: string, id: string) => {
  const { email, role } = await requirePerson(db, actor, store, id)
  await revokeRole(db, actor, email, { role, store }).catch(asFieldError('role'))
}
