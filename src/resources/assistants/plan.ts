import type { SeenVersion } from '../../core/http/inner-calls.ts'
import type { Rehearsal } from '../../core/storage/database-caller.ts'
import { rehearse } from '../../core/storage/rehearsal.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { type ApiReply, endsAll, permissionIn, refusalOf } from './call-api.ts'
import { contentsOf, differences } from './differences.ts'
import { type Arguments, type Call, callOf, findOperation, mayUse, type Operation } from './operations.ts'
import { itemsOf } from './plan-items.ts'
import { MAX_RESULT_BYTES, sizeOf } from './result-text.ts'
import { type PlannedItem, storePlan } from './stored-plans.ts'
import type { ToolContext } from './tool-context.ts'
import { ToolError } from './tool-error.ts'

/** In bytes, for the plan itself. */
const ROOM = 400
/** The rows that a plan locks are locked for at most this long. */
const MAX_REHEARSAL_MS = 45_000
/** How many changes of one item are shown; the rest is counted. Fewer, if the items would not all fit. */
const SHOWN_PER_ITEM = [12, 4, 1]

interface Tried {
  item: number
  label: string
  planned?: PlannedItem
  shown: Record<string, unknown>
}

const resourceIn = (reply: ApiReply): unknown => {
  const values = Object.values((reply.body?.data ?? {}) as object)
  return values.length === 1 ? values[0] : reply.body?.data
}

const labelOf = (resource: unknown, call: Call): string => {
  const { ref, title, name, slug, id } = (resource ?? {}) as Record<string, unknown>
  return String([ref, title, name, slug, id].find((text) => typeof text === 'string' && text !== '') ?? call.url)
}

const cut = (changes: object, max: number) => {
  const all = Object.entries(changes)
  if (all.length <= max) return changes
  return { ...Object.fromEntries(all.slice(0, max)), more: all.length - max }
}

const LISTED = ['changes', 'creates', 'deletes', 'result']

const shorten = ({ item, label, shown }: Tried, max: number) => ({
  item,
  label,
  ...Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [name, LISTED.includes(name) ? cut(value as object, max) : value]),
  ),
})

/** The permission to see what an operation changes. Plans of the store and apps are seen by all who may change them. */
const viewPermission = ({ route: { config } }: Operation) => {
  const [subject] = config.permission?.split(':') ?? []
  return PERMISSIONS.find((permission) => permission === `${subject}:view` || permission === `${subject}:browse`)
}

/** What the caller may be shown: old values only with the permission to view, as over HTTP. */
const changesOf = (context: ToolContext, operation: Operation, reply: ApiReply, seen: SeenVersion | undefined) => {
  const permission = viewPermission(operation)
  if (!seen) return { [reply.status === 201 ? 'creates' : 'result']: contentsOf(resourceIn(reply)) }
  if (permission && !context.permissions.has(permission)) return { result: contentsOf(resourceIn(reply)) }
  const before = JSON.parse(seen.before) as unknown
  const after = seen.after && seen.after !== 'null' ? (JSON.parse(seen.after) as unknown) : undefined
  if (after === undefined) return { deletes: contentsOf(before) }
  const changes = differences(before, after)
  return Object.keys(changes).length === 0 ? { changes: {}, note: 'It is so already.' } : { changes }
}

const warningsOf = (reply: ApiReply, seen: SeenVersion | undefined) => [
  ...reply.ignored.map((path) => `${path} is not known, and is ignored`),
  ...(!seen && reply.status !== 201 ? ['what changes between plan and apply is not noticed by this operation'] : []),
]

const tryItem = async (
  context: ToolContext,
  operation: Operation,
  rehearsal: Rehearsal,
  args: Arguments,
  item: number,
): Promise<Tried> => {
  const call = callOf(operation, args)
  let seen: SeenVersion | undefined
  let tried: Tried | undefined
  await rehearsal.keepIf(async () => {
    const reply = await context.callApi(call, {
      rehearsal,
      headers: { prefer: 'dry-run' },
      sees: (version) => {
        seen = version
      },
    })
    const permission = permissionIn(reply)
    if (permission) throw new ToolError(String(reply.body.message), { permission, refusal: refusalOf(reply) })
    if (endsAll(reply))
      throw new ToolError(
        `Trying item ${item} was not possible: ${reply.body?.message ?? 'the service gave no answer.'}`,
        {
          refusal: refusalOf(reply),
          hint: 'Nothing was changed, and there is no plan: make it again later.',
        },
      )
    if (reply.status >= 400) {
      tried = { item, label: String(args.id ?? call.url), shown: { refused: refusalOf(reply, operation.id) } }
      return false
    }
    const shownOf = seen && JSON.parse(seen.before)
    const label = labelOf(shownOf ?? resourceIn(reply), call)
    const warnings = warningsOf(reply, seen)
    tried = {
      item,
      label,
      planned: { ...call, label, resource: seen ? String(shownOf?.id) : call.url, etag: seen?.etag },
      shown: { ...changesOf(context, operation, reply, seen), ...(warnings.length > 0 && { warnings }) },
    }
    return true
  })
  return tried as Tried
}

const tryAll = async (context: ToolContext, operation: Operation, items: Arguments[]) =>
  rehearse(context.connect, async (rehearsal) => {
    const tried: Tried[] = []
    const started = performance.now()
    for (const [item, args] of items.entries()) {
      if (performance.now() - started > MAX_REHEARSAL_MS)
        throw new ToolError(`Only ${item} of ${items.length} items could be tried in time.`, {
          hint: `Plan at most ${Math.max(1, item)} items at once.`,
        })
      tried.push(await tryItem(context, operation, rehearsal, args, item))
    }
    return tried
  })

/** Runs a write for every item in one transaction that is rolled back, and answers with what it would change. */
export const plan = async (context: ToolContext, args: Arguments) => {
  const operation = findOperation(context.operations, args.operation, 'write')
  const { permission } = operation.route.config
  if (permission && !mayUse(operation, context.permissions))
    throw new ToolError(`${operation.id} needs the permission ${permission}.`, { field: 'operation', permission })
  const tried = await tryAll(context, operation, await itemsOf(context, operation, args))
  const planned = tried.flatMap(({ planned }) => planned ?? [])
  const show = (max: number) => ({
    operation: operation.id,
    would_change: planned.length,
    refused: tried.length - planned.length,
    store_data: tried.map((one) => shorten(one, max)),
  })
  const shown = SHOWN_PER_ITEM.map(show).find((one) => sizeOf(one) <= MAX_RESULT_BYTES - ROOM)
  if (!shown)
    throw new ToolError('What this would change does not fit into 25 kB, so it cannot be shown.', {
      hint: `Plan at most ${Math.max(1, Math.floor((tried.length * (MAX_RESULT_BYTES - ROOM)) / sizeOf(show(1))))} items at once.`,
    })
  if (planned.length === 0) return { ...shown, note: 'Nothing can be applied.' }
  const { db, key, store, caller, permissions } = context
  const stored = await storePlan(db, key, { store, caller, permissions }, operation.id, planned)
  return { ...shown, ...stored, note: 'Nothing has been changed yet. Show this to the user, then apply the plan.' }
}
