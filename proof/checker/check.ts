import type { Anomaly, FeedEvent, History, Json, Read, Write } from '../record.ts'
import { isUnknownState, isWritten, replay, type Version, type Versions } from './replay.ts'
import { differs, shownState } from './states.ts'

/**
 * Checks a history against its feed, which is the sequence in which everything happened. It knows the contract, not the
 * service: nothing is imported from src/. Each step is linear in the history.
 */

type Report = (name: string, detail: string) => void

const checkFeed = ({ feed, followed }: History, report: Report) => {
  let time = ''
  for (const [at, { position, timestamp }] of feed.entries()) {
    if (position !== at + 1) {
      report('the feed has a gap', `position ${position} at place ${at + 1}`)
      break
    }
    if (timestamp < time) report('times of the feed run backwards', `position ${position}: ${timestamp} after ${time}`)
    time = timestamp
  }
  for (const [node, seen] of followed.entries())
    for (const [at, event] of seen.entries()) {
      const known = feed[at]
      if (known?.id === event.id && known.position === event.position) continue
      report(
        'two readers saw different feeds',
        `node ${node + 1}, place ${at + 1}: ${event.type} ${event.position}, later ${known?.type} ${known?.position}`,
      )
      break
    }
}

/** A write that was acknowledged before another began comes before it. */
const checkRealTime = (versions: Versions, report: Report) => {
  const placed = [...versions.values()]
    .flat()
    .filter(({ write }) => write?.outcome === 'ok' && write.kind !== 'bulkCustomers')
  const byEnd = [...placed].sort((a, b) => a.end - b.end)
  let next = 0
  let highest = 0
  for (const { start, position, write } of [...placed].sort((a, b) => a.start - b.start)) {
    for (; next < byEnd.length && (byEnd[next] as Version).end < start; next++)
      highest = Math.max(highest, (byEnd[next] as Version).position)
    if (position < highest)
      report(
        'the feed contradicts real time',
        `${write?.kind} at ${position} began after the one at ${highest} was acknowledged`,
      )
  }
}

const checkRetries = (writes: readonly Write[], report: Report) => {
  for (const { attempts, kind, path, outcome } of writes) {
    const done = attempts.filter(({ status }) => status < 300)
    const [first] = done
    const other = done.find(({ text, status }) => text !== first?.text || status !== first?.status)
    if (first && other) {
      const difference = differs(JSON.parse(other.text), JSON.parse(first.text))
      report('a retry got another reply', `${kind} ${path}: ${difference ?? `${first.status} and ${other.status}`}`)
    }
    if (outcome === 'refused' && first) report('a retry got another reply', `${kind} ${path} was done and refused`)
  }
}

/** The versions that a reader may have seen: begun before the read ended, and not replaced before it began. */
const visible = (list: readonly Version[], { start, end }: Read) => {
  const seen: (Version | undefined)[] = []
  for (let at = -1; at < list.length; at++) {
    if (at >= 0 && (list[at] as Version).start > end) break
    const next = list[at + 1]
    if (!next || next.end >= start) seen.push(list[at])
  }
  return seen
}

/**
 * Parts of a product that change without each other's lock: a reader may see a change of stock before one of the title that
 * the feed has in front of it.
 */
const partsOf = (kind: string, state: Json): Record<string, Json> => {
  if (kind !== 'product' || !state || isUnknownState(state)) return { all: state }
  const { variants, ...own } = state
  return { all: own, ...Object.fromEntries(variants.map((variant: Json) => [variant.id, variant])) }
}

const isShown = (kind: string, shown: Json, seen: readonly (Version | undefined)[]) => {
  const states = seen.map((version) => partsOf(kind, version?.state))
  return Object.entries(partsOf(kind, shown)).every(([part, value]) =>
    states.some((state) => differs(value, state[part]) === undefined),
  )
}

const checkOne = (read: Read, id: string, body: unknown, versions: Versions, report: Report) => {
  const list = versions.get(`${read.kind}:${id}`) ?? []
  if (list.length === 0) return
  const seen = visible(list, read)
  if (seen.some((version) => isUnknownState(version?.state))) return
  const shown = body === undefined || body === null ? undefined : shownState(read.kind, body)
  if (isShown(read.kind, shown, seen)) return
  const older = list.some(({ state }) => !isUnknownState(state) && differs(shown, state) === undefined)
  const newest = seen.at(-1)
  report(
    older ? 'a stale read' : 'a read shows no state of the feed',
    `GET ${read.path} ${id}: ${shown === undefined ? 'nothing' : differs(shown, newest?.state)} (version ${newest?.position})`,
  )
}

const checkTotal = ({ kind, total, ...read }: Read, versions: Versions, report: Report) => {
  let least = 0
  let most = 0
  for (const [name, list] of versions) {
    if (!name.startsWith(`${kind}:`)) continue
    const seen = visible(list, { kind, total, ...read })
    const exists = seen.map((version) => version !== undefined && version.state !== undefined)
    if (exists.every(Boolean)) least++
    if (exists.some(Boolean)) most++
  }
  if (total !== undefined && (total < least || total > most))
    report('a total differs from the rows', `GET ${read.path}: ${total} instead of ${least} to ${most}`)
}

const checkReads = ({ reads }: History, versions: Versions, report: Report) => {
  for (const read of reads) {
    if (read.id !== undefined) {
      checkOne(read, read.id, read.status === 404 ? undefined : read.body, versions, report)
      continue
    }
    for (const body of read.body) checkOne(read, body.id, body, versions, report)
    checkTotal(read, versions, report)
  }
}

/** Stock that the reply of a change of a product shows: as a read while the write ran. */
const checkShownStock = ({ writes }: History, versions: Versions, report: Report) => {
  for (const { kind, id, reply, path, start, end, outcome, isDryRun } of writes)
    if (kind === 'updateProduct' && outcome === 'ok' && !isDryRun && id) {
      const { variants } = shownState('product', reply)
      const seen = visible(versions.get(`product:${id}`) ?? [], { start, end } as Read)
      if (seen.some((version) => isUnknownState(version?.state))) continue
      const known = (variant: Json) =>
        seen.some((version) => version?.state?.variants.some((other: Json) => differs(variant, other) === undefined))
      const wrong = variants.find((variant: Json) => !known(variant))
      if (wrong) report('a read shows no state of the feed', `POST ${path} shows a stock of ${wrong.quantity}`)
    }
}

const checkFinal = ({ final }: History, versions: Versions, report: Report) => {
  for (const [name, body] of Object.entries(final)) {
    const last = versions.get(name)?.at(-1)
    if (!last || isUnknownState(last.state)) continue
    const kind = name.split(':')[0] as string
    const difference = differs(body === null ? undefined : shownState(kind, body), last.state)
    if (!difference) continue
    const isStock = kind === 'product' && difference.startsWith('variants')
    report(
      isStock ? 'stock was lost or doubled' : 'the last state differs from the feed',
      `${name} at ${last.position}: ${difference}`,
    )
  }
}

const checkWebhooks = ({ delivered, feed }: History, report: Report) => {
  if (!delivered) return
  const arrived = new Set(delivered.filter(({ isAccepted }) => isAccepted).map(({ id }) => id))
  const missing = feed.filter(({ id, resource }: FeedEvent) => isWritten({ resource }) && !arrived.has(id))
  if (missing.length > 0) report('a webhook missed events', `${missing.length}, the first at ${missing[0]?.position}`)
  const last = new Map<string, number>()
  for (const { resource, position, isAccepted, isSigned, isConcurrent } of delivered) {
    if (!isSigned) report('a webhook was signed wrongly', `position ${position}`)
    if (isConcurrent) report('two events of a resource were sent at once', `${resource} at ${position}`)
    if (!isAccepted) continue
    const before = last.get(resource) ?? 0
    // What was accepted may be sent again after a crash; what is new must be the next of its resource.
    const skipped =
      position > before &&
      feed.slice(before, position - 1).some((event) => `${event.resource.kind}:${event.resource.id}` === resource)
    if (skipped) report('webhooks of a resource came out of order', `${resource}: ${position} after ${before}`)
    last.set(resource, Math.max(before, position))
  }
}

export const check = (history: History): Anomaly[] => {
  const anomalies: Anomaly[] = [...history.complaints]
  const report: Report = (name, detail) => anomalies.push({ name, detail })
  checkFeed(history, report)
  const versions = replay(history, report)
  checkRealTime(versions, report)
  checkRetries(history.writes, report)
  checkReads(history, versions, report)
  checkShownStock(history, versions, report)
  checkFinal(history, versions, report)
  checkWebhooks(history, report)
  return anomalies
}
