import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, OperatorError } from '../../errors.ts'
import type { Actor } from './audit.ts'

/**
 * Locks the rows, so that two concurrent commands cannot remove the last two. Whoever acts must be among them: of two
 * operators who remove each other, the second one is none any more.
 */
export const requireAnotherOperator = async (db: Tx, actor: Actor, account: string) => {
  const { rows } = await sql<{ id: string }>`
    select id from account where is_operator and disabled_at is null order by id for update`.execute(db)
  if (actor.id !== null && !rows.some(({ id }) => id === actor.id))
    throw new ApiError('forbidden', 'Only operators may do this.')
  if (rows.length > 0 && rows.every(({ id }) => id === account))
    throw new OperatorError('This is the last operator: make another one first.')
}

export const requireAnotherOwner = async (db: Tx, store: StoreId, account: string) => {
  const { rows } = await sql<{ id: string }>`
    select a.id from membership m join account a on a.id = m.account_id
    where m.store_id = ${store} and m.role = 'owner' and a.disabled_at is null order by a.id for update`.execute(db)
  if (rows.length > 0 && rows.every(({ id }) => id === account))
    throw new OperatorError(`This is the last owner of the store ${store}: make another one first.`)
}
