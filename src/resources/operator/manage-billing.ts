import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { notFound } from '../../errors.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { payInvoice, voidInvoice } from '../invoices/queries.ts'
import { createPlan, type PlanFields, updatePlan } from '../plans/manage-plans.ts'
import { findPlan } from '../plans/queries.ts'

export const addPlan = (db: Db, actor: Actor, fields: Parameters<typeof createPlan>[1]) =>
  transact(db, async (db) => {
    const plan = await createPlan(db, fields)
    await recordAct(db, actor, { act: 'create_plan', subject: plan.name, after: fields })
    return plan
  })

export const changePlan = (db: Db, actor: Actor, id: string, changes: Omit<PlanFields, 'currency' | 'period'>) =>
  transact(db, async (db) => {
    const before = await findPlan(db, id)
    if (!before) throw notFound('plan')
    const plan = await updatePlan(db, id, changes)
    const { name, price, limits, is_offered } = before
    await recordAct(db, actor, {
      act: 'update_plan',
      subject: plan.name,
      before: { name, price, limits, is_offered },
      after: changes,
    })
    return plan
  })

const settle = (
  db: Db,
  actor: Actor,
  id: string,
  act: 'pay_invoice' | 'void_invoice',
  reference: string | null,
  work: (db: Tx) => Promise<void>,
) =>
  transact(db, async (db) => {
    const invoice = await db
      .selectFrom('invoice')
      .select(['number', 'store_id'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (!invoice) throw notFound('invoice')
    await work(db)
    const { number, store_id } = invoice
    await recordAct(db, actor, { act, subject: String(number), store_id, after: { reference } })
  })

export const markPaid = (db: Db, actor: Actor, id: string, reference: string | null) =>
  settle(db, actor, id, 'pay_invoice', reference, (db) => payInvoice(db, id, { reference }))

export const markVoid = (db: Db, actor: Actor, id: string) =>
  settle(db, actor, id, 'void_invoice', null, (db) => voidInvoice(db, id))
