import { invalid } from '../errors.ts'
import { emailKey, isEmail } from '../input/email.ts'
import type { Db } from '../storage/database.ts'
import { inviteMember } from './create-account.ts'
import { asFieldError, checkMembership, grantOf, listPeople, type Membership, requirePerson } from './people.ts'
import { MAX_PEOPLE } from './schema.ts'
import type { SessionAccount } from './sessions.ts'

export const invitePerson = async (
  db: Db,
  actor: SessionAccount,
  store: string,
  { email, name = '', ...membership }: { email: string; name?: string | undefined } & Membership,
) => {
  checkMembership(membership)
  if (!isEmail(email.trim())) throw invalid({ email: ['must be an email address'] })
  const people = await listPeople(db, actor, store)
  if (people.length >= MAX_PEOPLE) throw invalid({ email: [`would be more than ${MAX_PEOPLE} people`] })
  if (people.some((person) => emailKey(person.email) === emailKey(email.trim())))
    throw invalid({ email: ['belongs to this store already'] })
  const { account, code } = await inviteMember(db, actor, { email, name }, grantOf(store, membership)).catch(
    asFieldError('email'),
  )
  return { person: await requirePerson(db, actor, store, account.id), code }
}
