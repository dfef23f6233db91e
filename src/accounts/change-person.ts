import type { Db } from '../storage/database.ts'
import { grantRole } from './change-role.ts'
import { asFieldError, checkMembership, grantOf, type Membership, requirePerson } from './people.ts'
import type { SessionAccount } from './sessions.ts'

export const changePerson = async (
  db: Db,
  actor: SessionAccount,
  store: string,
  id: string,
  membership: Membership,
) => {
  const { email } = await requirePerson(db, actor, store, id)
  checkMembership(membership)
  await grantRole(db, actor, email, grantOf(store, membership)).catch(asFieldError('role'))
  return requirePerson(db, actor, store, id)
}
