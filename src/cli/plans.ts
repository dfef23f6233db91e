import { sql } from 'kysely'
import { COMMAND_LINE } from '../resources/accounts/audit.ts'
import { INVOICE_STATUSES } from '../resources/invoices/schema.ts'
import { INVOICE_STATUS } from '../resources/invoices/text.ts'
import { addPlan, changePlan, markPaid, markVoid } from '../resources/operator/manage-billing.ts'
import { LIMITS } from '../resources/plans/limit-names.ts'
import { readLimits } from '../resources/plans/manage-plans.ts'
import { listPlans, type Plan, requirePlan } from '../resources/plans/queries.ts'
import { choosePlan } from '../resources/plans/switch-plan.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, UsageError } from './arguments.ts'
import { confirm, withDatabase, YES } from './command-context.ts'
import { explainRefusal, findStoreOf } from './fields.ts'
import { recordedInStore } from './recorded.ts'

const PLAN = { name: 'PLAN', about: 'Name or id of the plan, from plan list.' }
const INVOICE_ID = { name: 'INVOICE_ID', about: 'Id of the invoice, from invoice list.' }
const limit = {
  value: 'NAME=NUMBER',
  many: true,
  about: `A limit of the plan: ${LIMITS.join(', ')}. Storage takes a unit, such as storage=10GB. An empty value removes it.`,
}

const amount = (text: string) => {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(text)) throw new UsageError('--price must be an amount, such as 49 or 19.900.')
  return Number(text)
}

const periodOf = (text: string | undefined) => {
  if (text === undefined || text === 'month' || text === 'year') return text
  throw new UsageError('--period must be month or year.')
}

const statusOf = (text: string | undefined) => {
  if (text === undefined || (INVOICE_STATUSES as readonly string[]).includes(text)) return text
  throw new UsageError(`--status must be one of ${INVOICE_STATUSES.join(', ')}.`)
}

/** A plan as a person reads it: its limits as they are given. */
const shownPlan = ({ limits, ...plan }: Plan) => ({
  ...plan,
  limits: LIMITS.flatMap((name) => (limits[name] === undefined ? [] : [`${name}=${limits[name]}`])),
})

const planResult = (value: Plan) => ({ value, shown: shownPlan(value) })

export const planCommands: readonly Command[] = [
  {
    name: 'plan create',
    summary: 'Creates a plan that stores can subscribe to.',
    details: 'A limit that is not given does not exist. As long as there is no plan, nothing is limited.',
    options: {
      name: { value: 'NAME', required: true, about: 'Name of the plan.' },
      price: { value: 'AMOUNT', required: true, about: 'Price of a period, without tax.' },
      currency: { value: 'CODE', required: true, about: 'ISO 4217 currency code, such as TND.' },
      period: { value: 'PERIOD', about: 'month or year. Default: month.' },
      limit,
    },
    run: (input, io) =>
      withDatabase(io, 'plan create', async ({ db }) =>
        planResult(
          await addPlan(db, COMMAND_LINE, {
            name: input.text('name'),
            price: amount(input.text('price')),
            currency: input.text('currency'),
            period: periodOf(input.optional('period')),
            limits: readLimits(input.list('limit')),
          }),
        ),
      ),
  },
  {
    name: 'plan list',
    summary: 'Lists the plans.',
    run: (_input, io) =>
      withDatabase(io, 'plan list', async ({ db }) => {
        const value = await listPlans(db)
        return { value, shown: value.map(shownPlan) }
      }),
  },
  {
    name: 'plan update',
    summary: 'Changes a plan.',
    details: 'New limits hold at once for the stores that have it, a new price from their next period on.',
    operands: [PLAN],
    options: {
      name: { value: 'NAME', about: 'Name of the plan.' },
      price: { value: 'AMOUNT', about: 'Price of a period, without tax.' },
      limit,
      withdraw: { about: 'No longer offer it. Stores that have it keep it.' },
      offer: { about: 'Offer it again.' },
    },
    run: (input, io) =>
      withDatabase(io, 'plan update', async ({ db }) => {
        const plan = await requirePlan(db, input.text('PLAN'))
        const price = input.optional('price')
        const isOffered = input.has('withdraw') ? false : input.has('offer') ? true : undefined
        return planResult(
          await changePlan(db, COMMAND_LINE, plan.id, {
            name: input.optional('name'),
            price: price === undefined ? undefined : amount(price),
            limits: input.has('limit') ? readLimits(input.list('limit'), plan.limits) : undefined,
            is_offered: isOffered,
          }),
        )
      }),
  },
  {
    name: 'plan assign',
    summary: 'Subscribes a store to a plan, or switches it.',
    details: 'To a plan that costs more at once, to a cheaper one at the end of the period.',
    operands: [{ name: 'STORE_ID', about: 'Id of the store, from store list.' }, PLAN],
    run: (input, io) =>
      withDatabase(io, 'plan assign', async ({ db, config }) => {
        const store = await requireStore(db, input.text('STORE_ID'))
        const { id } = await requirePlan(db, input.text('PLAN'))
        const value = await explainRefusal(
          recordedInStore(db, 'plan assign', store, (db) => choosePlan(db, config, store, id, { onlyOffered: false })),
        )
        return { value }
      }),
  },
  {
    name: 'invoice list',
    summary: 'Lists the invoices of all stores, the newest first.',
    options: {
      store: { value: 'STORE_ID', about: 'Only those of this store.' },
      status: { value: 'STATUS', about: `${INVOICE_STATUSES.join(', ')}.` },
    },
    run: (input, io) =>
      withDatabase(io, 'invoice list', async ({ db }) => {
        const [store, status] = [input.optional('store'), statusOf(input.optional('status'))]
        const shownStatus = sql<string>`${sql.raw(INVOICE_STATUS)}`
        let query = db
          .selectFrom('invoice')
          .select(['id', 'number', 'store_id', 'store_name', 'total', 'currency', shownStatus.as('status')])
          .select(['due_at', 'created_at'])
          .orderBy('number', 'desc')
          .limit(1000)
        if (store !== undefined) query = query.where('store_id', '=', await requireStore(db, store))
        if (status !== undefined) query = query.where(shownStatus, '=', status)
        return { value: await query.execute() }
      }),
  },
  {
    name: 'invoice paid',
    summary: 'Marks an invoice as paid.',
    operands: [INVOICE_ID],
    options: { reference: { value: 'TEXT', about: 'Names the payment in your books.' } },
    run: (input, io) =>
      withDatabase(io, 'invoice paid', async ({ db }) => {
        await findStoreOf(db, 'invoice', input.text('INVOICE_ID'), 'invoice')
        const reference = input.optional('reference') ?? null
        await explainRefusal(markPaid(db, COMMAND_LINE, input.text('INVOICE_ID'), reference))
        return { value: { id: input.text('INVOICE_ID'), status: 'paid' } }
      }),
  },
  {
    name: 'invoice void',
    summary: 'Cancels an open invoice. Its number stays taken.',
    operands: [INVOICE_ID],
    options: YES,
    run: (input, io) =>
      withDatabase(io, 'invoice void', async ({ db }) => {
        await findStoreOf(db, 'invoice', input.text('INVOICE_ID'), 'invoice')
        await confirm(io, input, 'The invoice will be void.')
        await explainRefusal(markVoid(db, COMMAND_LINE, input.text('INVOICE_ID')))
        return { value: { id: input.text('INVOICE_ID'), status: 'void' } }
      }),
  },
]
