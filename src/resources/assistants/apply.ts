import type { ApiReply } from './call-api.ts'
import { endsAll, refusalOf } from './call-api.ts'
import type { Arguments } from './operations.ts'
import { MAX_RESULT_BYTES, sizeOf } from './result-text.ts'
import { claimPlan, findPlan, finishPlan, type PlannedItem, renewLease } from './stored-plans.ts'
import type { ToolContext } from './tool-context.ts'
import { ToolError } from './tool-error.ts'

const RENEW_MS = 5_000

interface Done {
  item: number
  label: string
  refused?: object
}

/**
 * Sends one request of a plan. The key makes it happen once, however often a plan is resumed; If-Match makes it happen to
 * what was shown. An item that is changed twice by the plan is expected as the first change has left it.
 */
const send = (context: ToolContext, id: string, index: number, item: PlannedItem, etag: string | undefined) =>
  context.callApi(item, {
    headers: { 'idempotency-key': `${id}.${index}`, ...(etag !== undefined && { 'if-match': etag }) },
  })

const expectedTag = (own: ReadonlyMap<string, string>, { resource, etag }: PlannedItem) =>
  etag === undefined ? undefined : (own.get(resource) ?? etag)

/** A request with this key that is still running belongs to an apply that was interrupted a moment ago. */
const isRunning = ({ status, body }: ApiReply) => status === 409 && /still running/.test(String(body?.message))

const interrupted = (done: number, all: number, reply?: ApiReply) =>
  new ToolError(`Interrupted after ${done} of ${all} items.`, {
    hint: 'Apply the same plan again in 30 seconds: it goes on with the rest, and repeats nothing.',
    ...(reply && { refusal: refusalOf(reply) }),
  })

const summary = (done: Done[]) => {
  const refused = done.filter((one) => one.refused).length
  return `${done.length - refused} applied, ${refused} refused.`
}

const answer = (operation: string, done: Done[]) => {
  const refused = done.filter((one) => one.refused)
  const result = {
    operation,
    result: summary(done),
    store_data: { applied: done.filter((one) => !one.refused), refused },
  }
  if (sizeOf(result) <= MAX_RESULT_BYTES) return result
  return { operation, result: summary(done), store_data: { refused: refused.slice(0, 50) } }
}

/** Carries out a plan, and nothing else. */
export const apply = async (context: ToolContext, args: Arguments) => {
  const { db, key, store, caller, permissions } = context
  const { id, items, operation } = await findPlan(db, key, { store, caller, permissions }, args.plan)
  const lease = await claimPlan(db, store, id)
  const planned = JSON.parse(items) as PlannedItem[]
  const done: Done[] = []
  const own = new Map<string, string>()
  let renewed = performance.now()
  for (const [index, item] of planned.entries()) {
    if (performance.now() - renewed > RENEW_MS) {
      if (!(await renewLease(db, store, id, lease))) throw interrupted(done.length, planned.length)
      renewed = performance.now()
    }
    const reply = await send(context, id, index, item, expectedTag(own, item))
    if (endsAll(reply) || isRunning(reply)) throw interrupted(done.length, planned.length, reply)
    if (reply.status < 300 && reply.etag && item.etag) own.set(item.resource, reply.etag)
    done.push({ item: index, label: item.label, ...(reply.status >= 300 && { refused: refusalOf(reply) }) })
  }
  await finishPlan(db, store, id, lease, summary(done))
  return answer(operation, done)
}
