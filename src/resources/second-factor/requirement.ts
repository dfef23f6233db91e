import { sql } from 'kysely'
import { type Db, transact } from '../../core/storage/database.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { REQUIRED_OF, type RequiredOf } from './schema.ts'

const NAME = 'second_factor'

export const readRequirement = async (db: Db): Promise<RequiredOf> => {
  const row = await db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirst()
  return REQUIRED_OF.find((value) => value === row?.value) ?? 'nobody'
}

export const isRequiredOf = (required: RequiredOf, { is_operator }: { is_operator: boolean }) =>
  required === 'everybody' || (required === 'operators' && is_operator)

/** Revokes the tokens that were issued before to people without a second factor. Their sessions wait until they have one. */
export const requireSecondFactor = (db: Db, actor: Actor, of: RequiredOf) =>
  transact(db, async (db) => {
    const before = await readRequirement(db)
    if (before === of) return
    await db
      .insertInto('setting')
      .values({ name: NAME, value: of })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: of }))
      .execute()
    if (of !== 'nobody')
      await sql`update account a set generation = generation + 1
        where (a.is_operator or ${of} = 'everybody')
          and not exists (select 1 from authenticator f where f.account_id = a.id and f.salt is not null)
          and not exists (select 1 from passkey f where f.account_id = a.id)`.execute(db)
    await recordAct(db, actor, { act: 'require_second_factor', before: { of: before }, after: { of } })
  })
