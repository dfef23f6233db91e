import { setTimeout as sleep } from 'node:timers/promises'
import { breakOne, FAULTS, type Fault } from '../history/faults.ts'
import { createIdentities, createStores, type Identity } from '../history/identities.ts'
import { startWorld } from '../history/world.ts'
import { createRandom, type Random } from '../random.ts'
import type { Anomaly } from '../record.ts'
import { compareSignals } from '../signals/compare.ts'
import { callerOf, readerOf, stock } from '../signals/run.ts'
import { type Call, type Shelf, step } from '../signals/steps.ts'
import { median, percentile99, type Sample, takeSample } from './measure.ts'

const CLIENTS = 6
const SAMPLE_MS = 2_000
const FAULT_EVERY_MS = 60_000
/** Replies that come during a fault, and so long after it, say nothing about the time that a reply takes. */
const RECOVERY_MS = 5_000
const LISTS = ['/order?page_size=20', '/order?page_size=20&level=good', '/product', '/customer?page_size=20', '/event']

/** What each measurement may be at the end, given what it was before. */
const LIMITS: Record<keyof Omit<Sample, 'at'>, (before: number) => number> = {
  memory: (before) => before * 1.25 + 20,
  descriptors: (before) => before + 12,
  connections: (before) => before + 4,
  // The feed keeps what happened, so the database grows with it: compare megabytes per thousand requests.
  database: () => Number.POSITIVE_INFINITY,
  files: (before) => before + 5,
}
const MAX_SLOWER = 1.5
const MAX_SLOWER_MS = 30
const MAX_GROWTH = 1.5
const MAX_GROWTH_MB = 1

export interface SoakResult {
  minutes: number
  requests: number
  faults: string[]
  before: Omit<Sample, 'at'>
  after: Omit<Sample, 'at'>
  /** Of the database, in MB for each thousand requests. */
  growthBefore: number
  growthAfter: number
  /** Of replies outside of faults, in milliseconds. */
  p99Before: number
  p99After: number
  anomalies: Anomaly[]
}

interface Timed {
  at: number
  ms: number
}

const mix = (random: Random, call: Call, shelf: Shelf) =>
  random.chance(0.4) ? call('GET', random.pick(LISTS)) : step(random, call, shelf)

const middle = (samples: readonly Sample[]): Omit<Sample, 'at'> => ({
  memory: median(samples.map(({ memory }) => memory)),
  descriptors: median(samples.map(({ descriptors }) => descriptors)),
  connections: median(samples.map(({ connections }) => connections)),
  database: median(samples.map(({ database }) => database)),
  files: median(samples.map(({ files }) => files)),
})

/** Compares the second third of the time with the last; the first is for warming up. */
const compareThirds = (samples: readonly Sample[], replies: readonly Timed[], start: number, end: number) => {
  const third = (end - start) / 3
  const within = <T extends { at: number }>(rows: readonly T[], n: number) =>
    rows.filter(({ at }) => at >= start + n * third && at < start + (n + 1) * third)
  const growth = (n: number) => {
    const own = within(samples, n)
    const added = (own.at(-1)?.database ?? 0) - (own[0]?.database ?? 0)
    return (added / Math.max(1, within(replies, n).length)) * 1000
  }
  const times = (n: number) => percentile99(within(replies, n).map(({ ms }) => ms))
  return {
    before: middle(within(samples, 1)),
    after: middle(within(samples, 2)),
    growthBefore: growth(1),
    growthAfter: growth(2),
    p99Before: times(1),
    p99After: times(2),
  }
}

const findGrowth = (found: ReturnType<typeof compareThirds>): Anomaly[] => {
  const anomalies: Anomaly[] = []
  const note = (name: string, was: number, is: number) =>
    anomalies.push({ name: `${name} grew`, detail: `${was.toFixed(1)} before, ${is.toFixed(1)} after` })
  for (const [name, limit] of Object.entries(LIMITS) as [keyof typeof LIMITS, (before: number) => number][])
    if (found.after[name] > limit(found.before[name])) note(name, found.before[name], found.after[name])
  if (found.growthAfter > found.growthBefore * MAX_GROWTH + MAX_GROWTH_MB)
    note('what a request leaves on the disk', found.growthBefore, found.growthAfter)
  if (found.p99After > found.p99Before * MAX_SLOWER + MAX_SLOWER_MS)
    note('the time of a reply', found.p99Before, found.p99After)
  return anomalies
}

/** Mixed load with a fault each minute. One node is never killed: what it holds must not grow. */
export const runSoak = async ({ minutes, seed }: { minutes: number; seed: number }): Promise<SoakResult> => {
  const world = await startWorld({ nodes: 2, diskMegabytes: 4_000 })
  const [store] = await createStores(world, 1)
  const identities = await createIdentities(world, store as string, CLIENTS)
  const random = createRandom(seed)
  const broken = { ...world, nodes: world.nodes.slice(1) }
  const anomalies: Anomaly[] = []
  const samples: Sample[] = []
  const replies: Timed[] = []
  const shelf: Shelf = { variants: [], orders: [] }
  const reader = readerOf(world.nodes[0] as (typeof world.nodes)[number], identities[0] as Identity)
  shelf.variants = await stock(callerOf(world.nodes, identities[0] as Identity, () => 0))
  const start = performance.now()
  const end = start + minutes * 60_000
  const isOver = () => performance.now() >= end
  let calmSince = start

  const work = async (identity: Identity) => {
    const own = random.fork()
    const call = callerOf(world.nodes, identity, () => own.below(world.nodes.length))
    while (!isOver()) {
      const at = performance.now()
      const { status } = await mix(own, call, shelf)
      if (status >= 500 && status !== 503) anomalies.push({ name: 'server error', detail: String(status) })
      if (at > calmSince) replies.push({ at, ms: performance.now() - at })
      // A mixed load, not the most that the machine can do: p99 would measure the machine.
      await sleep(own.below(40))
    }
  }
  const watch = async () => {
    while (!isOver()) {
      samples.push(await takeSample(world, world.nodes[0]?.pid() as number))
      await sleep(SAMPLE_MS)
    }
  }
  const breakEachMinute = async () => {
    const faults: string[] = []
    for (let next = start + FAULT_EVERY_MS / 2; next < end - RECOVERY_MS; next += FAULT_EVERY_MS) {
      while (performance.now() < next) await sleep(100)
      calmSince = Number.POSITIVE_INFINITY
      faults.push(await breakOne(broken, random.pick<Fault>(FAULTS), random))
      calmSince = performance.now() + RECOVERY_MS
    }
    return faults
  }
  const breaking = breakEachMinute()
  await Promise.all([watch(), ...identities.map(work)])
  const faults = await breaking
  const found = compareThirds(samples, replies, start, end)
  anomalies.push(...findGrowth(found), ...(await compareSignals(reader, 'after the soak')))
  for (const node of world.nodes) await node.stop()
  return { minutes, requests: replies.length, faults, ...found, anomalies }
}
