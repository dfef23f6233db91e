import { sql } from 'kysely'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'
import type { Limits } from './limit-names.ts'
import type {} from './tables.ts'

export interface Plan {
  id: string
  name: string
  price: string
  currency: string
  period: 'month' | 'year'
  limits: Limits
  is_offered: boolean
}

export interface Subscription {
  store_id: StoreId
  plan_id: string
  anchor: Date
  periods: number
  period_start: Date
  period_end: Date
  next_plan_id: string | null
  /** What a whole period costs, as it was invoiced. Null if it began before that was kept. */
  price: string | null
}

const PLAN_COLUMNS = ['id', 'name', 'price', 'currency', 'period', 'limits', 'is_offered'] as const

/** The cheapest first. */
export const listPlans = (db: Db): Promise<Plan[]> =>
  db.selectFrom('plan').select(PLAN_COLUMNS).orderBy('currency').orderBy('price').orderBy('id').execute()

export const findPlan = async (db: Db, id: string): Promise<Plan | undefined> =>
  isUuid(id) ? db.selectFrom('plan').select(PLAN_COLUMNS).where('id', '=', id).executeTakeFirst() : undefined

/** By id or by name, as an operator types it. */
export const requirePlan = async (db: Db, given: string): Promise<Plan> => {
  const named = (await listPlans(db)).find(({ id, name }) => id === given || name.toLowerCase() === given.toLowerCase())
  if (!named) throw new OperatorError(`There is no plan ${given}: see plan list.`)
  return named
}

const SUBSCRIPTION_COLUMNS = [
  'store_id',
  'plan_id',
  'anchor',
  'periods',
  'period_start',
  'period_end',
  'next_plan_id',
  'price',
] as const

export const findSubscription = (db: Db, store: StoreId): Promise<Subscription | undefined> =>
  db.selectFrom('subscription').select(SUBSCRIPTION_COLUMNS).where('store_id', '=', store).executeTakeFirst()

/** The stores that have a plan. */
export const storesOf = (db: Db, plan: string) =>
  db.selectFrom('subscription').select('store_id').where('plan_id', '=', plan).execute()

/** Locks the subscription of a store, so that its use and its plan cannot change, and returns its plan. */
export const lockSubscription = async (db: Tx, store: StoreId): Promise<Plan | undefined> => {
  const { rows } = await sql<{ plan_id: string }>`
    select plan_id from subscription where store_id = ${store} for no key update`.execute(db)
  return rows[0] && findPlan(db, rows[0].plan_id)
}

/** A subscription whose period has ended, locked. Others that are being renewed are left out. */
export const takeDueSubscription = async (db: Tx): Promise<(Subscription & { now: Date }) | undefined> => {
  const { rows } = await sql<Subscription & { now: Date }>`
    select store_id, plan_id, anchor, periods, period_start, period_end, next_plan_id, price, now() as now
    from subscription where period_end <= now() order by period_end limit 1 for no key update skip locked`.execute(db)
  return rows[0]
}

export const writeSubscription = (db: Tx, { store_id, ...fields }: Subscription) =>
  db
    .insertInto('subscription')
    .values({ store_id, ...fields })
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet(fields))
    .execute()
