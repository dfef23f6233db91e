import { type Static, Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { data, errors } from '../../core/input/schemas.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { invalid, notFound, OperatorError } from '../../errors.ts'
import { recordAct } from '../accounts/audit.ts'
import { payInvoice, voidInvoice } from '../invoices/queries.ts'
import { INVOICE_STATUS } from '../invoices/text.ts'
import { createPlan, updatePlan } from '../plans/manage-plans.ts'
import { findPlan, listPlans } from '../plans/queries.ts'
import { PlanSchema } from '../plans/schema.ts'
import { planObject } from '../plans/text.ts'
import {
  Id,
  InvoiceQuery,
  NewPlan,
  OperatorInvoice,
  OperatorPlan,
  Paid,
  PER_PAGE,
  PlanChange,
  PlanId,
} from './billing-schema.ts'

const SMALL_BODY = 16 * 1024

const reading = { config: { access: 'operator' } } as const
const writing = { config: { access: 'operator', confirmed: true }, bodyLimit: SMALL_BODY } as const

/** The command line says in a sentence what is wrong; in the form it belongs to a field. */
const explained = <T>(work: Promise<T>) =>
  work.catch((error) => {
    if (!(error instanceof OperatorError)) throw error
    const [field] = /currency|price/.exec(error.message) ?? ['name']
    throw invalid({ [field]: [error.message] })
  })

const readPlans = async (db: Db) => {
  const counted = await runSql<{ plan_id: string; stores: number }>(
    db,
    sqlText`select plan_id, count(*)::int as stores from subscription group by plan_id`,
    [],
  )
  const plans = await listPlans(db)
  return plans.map((plan) => ({
    ...planObject(plan),
    stores: counted.find(({ plan_id }) => plan_id === plan.id)?.stores ?? 0,
  }))
}

const planRoutes = (app: Api, db: Db) => {
  app.get(
    '/operator/plans',
    { ...reading, schema: { response: { 200: data({ plans: Type.Array(OperatorPlan) }), ...errors } } },
    async () => ({ data: { plans: await readPlans(db) } }),
  )

  app.post(
    '/operator/plans',
    { ...writing, schema: { body: NewPlan, response: { 200: data({ plan: PlanSchema }), ...errors } } },
    async ({ body, session }) => {
      const plan = await explained(
        transact(db, async (db) => {
          const plan = await createPlan(db, body)
          await recordAct(db, session.account, { act: 'create_plan', subject: plan.name, after: body })
          return plan
        }),
      )
      return { data: { plan: planObject(plan) } }
    },
  )

  app.put(
    '/operator/plans/:plan',
    {
      ...writing,
      config: { ...writing.config, subject: 'plan' },
      schema: { params: PlanId, body: PlanChange, response: { 200: data({ plan: PlanSchema }), ...errors } },
    },
    async ({ params, body, session }) => {
      const plan = await explained(
        transact(db, async (db) => {
          const before = await findPlan(db, params.plan)
          if (!before) throw notFound('plan')
          const plan = await updatePlan(db, params.plan, body)
          const { price, limits, is_offered } = before
          await recordAct(db, session.account, {
            act: 'update_plan',
            subject: plan.name,
            before: { name: before.name, price, limits, is_offered },
            after: body,
          })
          return plan
        }),
      )
      return { data: { plan: planObject(plan) } }
    },
  )
}

const invoiceOf = async (db: Db, id: string) =>
  db.selectFrom('invoice').select(['id', 'number', 'store_id']).where('id', '=', id).executeTakeFirst()

const invoiceRoutes = (app: Api, db: Db) => {
  app.get(
    '/operator/invoices',
    {
      ...reading,
      schema: {
        querystring: InvoiceQuery,
        response: {
          200: data({ invoices: Type.Array(OperatorInvoice, { maxItems: PER_PAGE }), has_more: Type.Boolean() }),
          ...errors,
        },
      },
    },
    async ({ query }) => {
      const rows = await runSql<Static<typeof OperatorInvoice>>(
        db,
        sqlText`select id, number, store_id, store_name, ${INVOICE_STATUS} as status, total::float8 as total, currency,
          iso(due_at) as due_at, iso(created_at) as created_at
          from invoice where number < $1 order by number desc limit ${PER_PAGE + 1}`,
        [query.before ?? Number.MAX_SAFE_INTEGER],
      )
      return { data: { invoices: rows.slice(0, PER_PAGE), has_more: rows.length > PER_PAGE } }
    },
  )

  const settle = (
    name: 'paid' | 'void',
    act: 'pay_invoice' | 'void_invoice',
    work: (db: Tx, id: string, reference: string | null) => Promise<void>,
  ) =>
    app.post(
      `/operator/invoices/:id/${name}`,
      {
        ...writing,
        config: { ...writing.config, subject: 'invoice' },
        schema: { params: Id, body: Paid, response: { 200: data({}), ...errors } },
      },
      async ({ params, body, session }) => {
        await transact(db, async (db) => {
          const invoice = await invoiceOf(db, params.id)
          if (!invoice) throw notFound('invoice')
          const reference = body.reference || null
          await work(db, invoice.id, reference)
          await recordAct(db, session.account, {
            act,
            subject: String(invoice.number),
            store_id: invoice.store_id,
            after: { reference },
          })
        })
        return { data: {} }
      },
    )
  settle('paid', 'pay_invoice', (db, id, reference) => payInvoice(db, id, { reference }))
  settle('void', 'void_invoice', (db, id) => voidInvoice(db, id))
}

/** Plans and the invoices of all stores: the same operations as the commands `plan` and `invoice`. */
export const operatorBillingRoutes = (app: Api, { db }: { db: Db }) => {
  planRoutes(app, db)
  invoiceRoutes(app, db)
}
