import { type Db, refuseDuplicate } from '../../core/storage/database.ts'
import { OperatorError } from '../../errors.ts'
import { knownCurrencies } from '../stores/store-fields.ts'
import { LIMITS, type LimitName, type Limits } from './limit-names.ts'
import { requirePlan, storesOf } from './queries.ts'
import { forgetOrders } from './use.ts'

const UNITS: Record<string, number> = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

const isLimit = (name: string): name is LimitName => (LIMITS as readonly string[]).includes(name)

/** Reads limits as an operator writes them: `products=5000`, `storage=10GB`. An empty value removes the limit. */
export const readLimits = (given: readonly string[], current: Limits = {}): Limits => {
  const limits = { ...current }
  for (const text of given) {
    const [name = '', value = ''] = text.split('=', 2)
    if (!isLimit(name)) throw new OperatorError(`There is no limit ${name}: there are ${LIMITS.join(', ')}.`)
    if (value === '') {
      delete limits[name]
      continue
    }
    const [, digits, unit] = /^(\d{1,15})(KB|MB|GB|TB)?$/i.exec(value) ?? []
    if (digits === undefined || (unit !== undefined && name !== 'storage'))
      throw new OperatorError(`--limit ${name}= takes a whole number${name === 'storage' ? ', such as 10GB' : ''}.`)
    limits[name] = Number(digits) * (unit ? (UNITS[unit.toUpperCase()] as number) : 1)
  }
  return limits
}

export interface PlanFields {
  name?: string | undefined
  price?: number | undefined
  currency?: string | undefined
  period?: 'month' | 'year' | undefined
  limits?: Limits | undefined
  is_offered?: boolean | undefined
}

const check = async (db: Db, { name, price, currency }: PlanFields) => {
  if (name !== undefined && (name.trim() === '' || name.length > 100))
    throw new OperatorError('The name of a plan must have 1 to 100 characters.')
  if (price !== undefined && !(price >= 0 && price < 1e9 && /^\d+(\.\d{1,3})?$/.test(String(price))))
    throw new OperatorError('The price of a plan must be an amount with at most three decimals.')
  if (currency !== undefined && !(await knownCurrencies(db)).has(currency))
    throw new OperatorError('The currency must be a code of ISO 4217, such as TND, EUR or USD.')
}

const refuseTaken = refuseDuplicate(() => new OperatorError('There is a plan of that name already.'), 'plan_name')

export const createPlan = async (db: Db, fields: PlanFields & { name: string; price: number; currency: string }) => {
  await check(db, fields)
  const { limits = {}, name, price, currency, period = 'month' } = fields
  const { id } = await db
    .insertInto('plan')
    .values({ name: name.trim(), price, currency, period, limits: JSON.stringify(limits) })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(refuseTaken)
  return requirePlan(db, id)
}

/**
 * New limits hold at once for the stores that have the plan; a new price from their next period on. Currency and period
 * cannot be changed: invoices of running periods were made with them.
 */
export const updatePlan = async (db: Db, given: string, fields: Omit<PlanFields, 'currency' | 'period'>) => {
  const plan = await requirePlan(db, given)
  await check(db, fields)
  const { limits, ...rest } = fields
  const changes = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const all = { ...changes, ...(limits && { limits: JSON.stringify(limits) }) }
  if (Object.keys(all).length === 0) throw new OperatorError('Nothing to change.')
  await db.updateTable('plan').set(all).where('id', '=', plan.id).execute().catch(refuseTaken)
  if (limits && limits.orders === undefined)
    for (const { store_id } of await storesOf(db, plan.id)) await forgetOrders(db, store_id)
  return requirePlan(db, plan.id)
}
