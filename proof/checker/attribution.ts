import type { FeedEvent, Write } from '../record.ts'

/**
 * Says which write an event belongs to. An app makes one write at a time, so its events come in the sequence of its writes,
 * and each write claims what it must have changed. `expects` says what else a write changes, by `kind:id`.
 */

const ACTION: Record<string, string> = { create: 'created', update: 'updated', delete: 'deleted' }

const actionOf = ({ kind }: Write) => {
  const verb = Object.keys(ACTION).find((verb) => kind.startsWith(verb))
  return verb === undefined ? 'updated' : ACTION[verb]
}

export interface Claim {
  write: Write
  /** It is the resource that the write is about. */
  isMain: boolean
}

interface Progress {
  write: Write
  hasMain: boolean
  /** What else has an event already. */
  seen: Set<string>
}

export interface Attribution {
  claim: (event: FeedEvent) => Claim | { name: string; write?: Write }
  /** Acknowledged writes that no event has claimed. */
  missing: () => Write[]
  happened: (write: Write) => boolean
}

export const attribute = (
  writes: readonly Write[],
  expects: (write: Write, name: string, event: FeedEvent) => boolean,
): Attribution => {
  const byApp = new Map<string, { list: Progress[]; at: number }>()
  const progressOf = new Map<Write, Progress>()
  for (const write of [...writes].sort((a, b) => a.start - b.start)) {
    const entry = byApp.get(write.app) ?? { list: [], at: 0 }
    const progress = { write, hasMain: false, seen: new Set<string>() }
    progressOf.set(write, progress)
    entry.list.push(progress)
    byApp.set(write.app, entry)
  }
  const mayHappen = ({ outcome, isDryRun }: Write) => outcome !== 'refused' && !isDryRun

  const isMain = ({ write, hasMain }: Progress, { resource, type }: FeedEvent) => {
    if (hasMain || write.resource !== resource.kind || !type.endsWith(`.${actionOf(write)}`)) return false
    return write.id === undefined ? write.outcome === 'unknown' : write.id === resource.id
  }
  const claims = (progress: Progress, event: FeedEvent, name: string): Claim | undefined => {
    if (isMain(progress, event)) return { write: progress.write, isMain: true }
    if (!progress.seen.has(name) && expects(progress.write, name, event))
      return { write: progress.write, isMain: false }
    return undefined
  }
  /** Why an event is there that no write explains. */
  const name = (list: Progress[], event: FeedEvent) => {
    const about = list.filter(
      ({ write }) => write.resource === event.resource.kind && (write.id ?? event.resource.id) === event.resource.id,
    )
    const dry = about.find(({ write }) => write.isDryRun)
    if (dry) return { name: 'a dry run changed something', write: dry.write }
    const twice = about.findLast(({ hasMain }) => hasMain)
    if (twice) return { name: 'a write happened twice', write: twice.write }
    const refused = about.find(({ write }) => write.outcome === 'refused')
    if (refused) return { name: 'a refused write happened', write: refused.write }
    return { name: 'an event that no write explains' }
  }

  return {
    claim: (event) => {
      const entry = byApp.get(event.app?.id ?? '')
      const label = `${event.resource.kind}:${event.resource.id}`
      if (!entry) return { name: 'an event that no write explains' }
      for (let at = entry.at; at < entry.list.length; at++) {
        const progress = entry.list[at] as Progress
        const claim = mayHappen(progress.write) ? claims(progress, event, label) : undefined
        if (!claim) continue
        if (claim.isMain) progress.hasMain = true
        else progress.seen.add(label)
        entry.at = at
        return claim
      }
      return name(entry.list, event)
    },
    missing: () =>
      [...progressOf.values()]
        .filter(
          ({ write, hasMain }) => write.outcome === 'ok' && !write.isDryRun && write.resource !== null && !hasMain,
        )
        .map(({ write }) => write),
    happened: (write) => {
      const progress = progressOf.get(write)
      return progress !== undefined && (progress.hasMain || progress.seen.size > 0)
    },
  }
}
