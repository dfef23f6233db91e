import { type Static, Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { data, errors } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { invalid, OperatorError } from '../../errors.ts'
import type { SessionAccount } from '../accounts/sessions.ts'
import { INVOICE_STATUS } from '../invoices/text.ts'
import { listPlans } from '../plans/queries.ts'
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
import { addPlan, changePlan, markPaid, markVoid } from './manage-billing.ts'

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
      const plan = await explained(addPlan(db, session.account, body))
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
      const plan = await explained(changePlan(db, session.account, params.plan, body))
      return { data: { plan: planObject(plan) } }
    },
  )
}

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
    work: (account: SessionAccount, id: string, reference: string | null) => Promise<void>,
  ) =>
    app.post(
      `/operator/invoices/:id/${name}`,
      {
        ...writing,
        config: { ...writing.config, subject: 'invoice' },
        schema: { params: Id, body: Paid, response: { 200: data({}), ...errors } },
      },
      async ({ params, body, session }) => {
        await work(session.account, params.id, body.reference || null)
        return { data: {} }
      },
    )
  settle('paid', (account, id, reference) => markPaid(db, account, id, reference))
  settle('void', (account, id) => markVoid(db, account, id))
}

/** Plans and the invoices of all stores: the same operations as the commands `plan` and `invoice`. */
export const operatorBillingRoutes = (app: Api, { db }: { db: Db }) => {
  planRoutes(app, db)
  invoiceRoutes(app, db)
}
