import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runCleanups } from '../tests/support/cleanup.ts'
import { check } from './checker/check.ts'
import { runCitus } from './citus/run.ts'
import { runComplexity } from './complexity/run.ts'
import { runFuzz } from './fuzz.ts'
import { FAULTS, type Fault } from './history/faults.ts'
import { compareRestored } from './history/restored-copy.ts'
import { runHistory } from './history/run.ts'
import { startWorld } from './history/world.ts'
import { readMutation } from './mutation/read.ts'
import { findPlanted } from './planted/find.ts'
import type { Anomaly, History } from './record.ts'
import { addResults, writeReport } from './report.ts'
import { runSignals } from './signals/run.ts'
import { runSoak } from './soak/run.ts'

const HELP = `npm run proof -- [options]
  --seed N        the first seed (default: 1)
  --seeds N       how many seeds, one after the other (default: 1)
  --ops N         operations of each seed (default: 5000)
  --nodes N       nodes of the service (default: 2)
  --faults LIST   all, none, failover, or some of ${FAULTS.join(',')}
  --planted LIST  all, a number of bugs, or their names: plants each in a copy of the build and looks for it
  --short         instead: what CI runs, five seeds and five planted bugs
  --signals N     instead: a history of N steps of orders at a cash-on-delivery desk, recounted again and again
  --soak MINUTES  instead: mixed load with a fault each minute; memory, files, connections, disk and p99 must not grow
  --citus URL     instead: the same operations on plain PostgreSQL and on the Citus cluster of this coordinator
  --fuzz N        instead: about N requests made from the OpenAPI document, valid and hostile
  --complexity N  instead: the worst repeated patterns in every field, or in a share N of the fields below 1
  --recheck FILE  instead: checks a history that was kept, in proof/kept, because it had anomalies
  --mutation LIST instead: reads the reports of Stryker, whose files are named after their groups
  --report        adds the results to docs/proof.md; with --seeds 0 it is only made again`

const readFaults = (text: string): Fault[] => {
  if (text === 'all') return [...FAULTS]
  return text === 'none' ? [] : (text.split(',') as Fault[])
}

const countsOf = ({ writes, reads, feed }: History) => ({
  writes: writes.length,
  reads: reads.length,
  events: feed.length,
  ok: writes.filter(({ outcome }) => outcome === 'ok').length,
  refused: writes.filter(({ outcome }) => outcome === 'refused').length,
  unknown: writes.filter(({ outcome }) => outcome === 'unknown').length,
})

const print = (anomalies: readonly Anomaly[]) => {
  const shown = new Map<string, number>()
  for (const { name, detail } of anomalies) {
    shown.set(name, (shown.get(name) ?? 0) + 1)
    if ((shown.get(name) ?? 0) <= 5) console.log(`  ${name}: ${detail}`)
  }
  for (const [name, count] of shown) if (count > 5) console.log(`  ${name}: ${count} in total`)
}

// The bundle is two folders below the root.
const KEPT = fileURLToPath(new URL('../../proof/kept/', import.meta.url))

/** Writes everything that was recorded to a file, to be looked at and checked again. */
const keep = (history: History, anomalies: readonly Anomaly[], nodes: readonly string[]) => {
  mkdirSync(KEPT, { recursive: true })
  const file = path.join(KEPT, `seed-${history.seed}-${new Date().toISOString().replaceAll(':', '')}.json`)
  writeFileSync(file, JSON.stringify({ anomalies, nodes, history }))
  console.log(`  kept in ${file}`)
}

/** JSON has no infinity, which is when a write ends that was never answered. */
const readKept = (file: string): History => {
  const { history } = JSON.parse(readFileSync(file, 'utf8')) as { history: History }
  for (const write of history.writes) write.end ??= Number.POSITIVE_INFINITY
  return history
}

/** Runs histories and checks each. Returns how many anomalies there were. */
const runSeeds = async (options: {
  seed: number
  seeds: number
  ops: number
  nodes: number
  faults: Fault[]
  isReported: boolean
}) => {
  const world = await startWorld({ nodes: options.nodes, hasCluster: options.faults.includes('failover') })
  const results = []
  for (let seed = options.seed; seed < options.seed + options.seeds; seed++) {
    const history = await runHistory(world, { seed, ops: options.ops, faults: options.faults })
    const anomalies = check(history)
    const isLast = seed === options.seed + options.seeds - 1
    // A cluster has other programs for backups.
    if (isLast && !options.faults.includes('failover')) anomalies.push(...(await compareRestored(world, history)))
    const counts = countsOf(history)
    console.log(
      `seed ${seed}: ${counts.writes} writes (${counts.ok} ok, ${counts.refused} refused, ${counts.unknown} unknown), ` +
        `${counts.reads} reads, ${counts.events} events, ${history.faults.length} faults, ` +
        `${history.seconds.toFixed(0)} s, anomalies: ${anomalies.length}`,
    )
    print(anomalies)
    if (anomalies.length > 0)
      keep(
        history,
        anomalies,
        world.nodes.map((node) => node.output()),
      )
    const { ops, nodes } = options
    const result = { seed, ops, nodes, faults: history.faults, ...counts, seconds: history.seconds, anomalies }
    results.push(result)
    // Each by itself: the next one may not come to its end.
    if (options.isReported) addResults({ histories: [result] })
  }
  for (const node of world.nodes) await node.stop()
  return results
}

const proveSignals = async (...numbers: [steps: string, seed: string, nodes: string]) => {
  const [steps, seed, nodes] = numbers.map(Number) as [number, number, number]
  const run = await runSignals({ steps, seed, nodes })
  console.log(
    `seed ${seed}: ${run.steps} steps (${run.refused} refused) on ${nodes} nodes, recounted ${run.recounts} times` +
      `${run.isRestored ? ' and after a restore' : ''}, ${run.seconds.toFixed(0)} s, anomalies: ${run.anomalies.length}`,
  )
  print(run.anomalies)
  return run
}

const proveCitus = async (url: string, ...numbers: [ops: string, seed: string]) => {
  const [ops, seed] = numbers.map(Number) as [number, number]
  const run = await runCitus({ url, ops, seed })
  console.log(
    `seed ${seed}: ${run.writes} writes (${run.refused} refused) and ${run.reads} reads on plain PostgreSQL and on Citus ` +
      `${run.version}, ${run.pages} pages and ${run.events} events afterwards, ${run.seconds.toFixed(0)} s, ` +
      `anomalies: ${run.anomalies.length}`,
  )
  print(run.anomalies)
  return run
}

/** Found at once, by five parts of the checker. */
const SHORT_BUGS = 'if-match,dry-run,idempotency-other-request,changed-since,access-notify'
const SHORT = { seeds: 5, ops: 80, nodes: 2 }

const proveShort = async (seed: number) => {
  const histories = await runSeeds({ ...SHORT, seed, faults: [...FAULTS], isReported: false })
  const found = await findPlanted(SHORT_BUGS, seed, 300)
  return histories.every(({ anomalies }) => anomalies.length === 0) && found.every(({ isNamed }) => isNamed) ? 0 : 1
}

const proveSoak = async (minutes: number, seed: number) => {
  const run = await runSoak({ minutes, seed })
  const { before, after, anomalies } = run
  console.log(
    `${minutes} minutes, ${run.requests} requests, ${run.faults.length} faults: ` +
      `memory ${before.memory.toFixed(0)} to ${after.memory.toFixed(0)} MB, descriptors ${before.descriptors} to ${after.descriptors}, ` +
      `connections ${before.connections} to ${after.connections}, files ${before.files} to ${after.files}, ` +
      `disk ${run.growthBefore.toFixed(2)} to ${run.growthAfter.toFixed(2)} MB per thousand requests, ` +
      `p99 ${run.p99Before.toFixed(0)} to ${run.p99After.toFixed(0)} ms, anomalies: ${anomalies.length}`,
  )
  print(anomalies)
  return run
}

export const main = async (args: string[]): Promise<number> => {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      ops: { type: 'string', default: '5000' },
      nodes: { type: 'string', default: '2' },
      faults: { type: 'string', default: 'all' },
      planted: { type: 'string' },
      signals: { type: 'string' },
      soak: { type: 'string' },
      citus: { type: 'string' },
      short: { type: 'boolean', default: false },
      fuzz: { type: 'string' },
      complexity: { type: 'string' },
      recheck: { type: 'string' },
      mutation: { type: 'string' },
      report: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => runCleanups().finally(() => process.exit(1)))
  try {
    if (values.recheck) {
      const anomalies = check(readKept(values.recheck))
      print(anomalies)
      return anomalies.length === 0 ? 0 : 1
    }
    if (values.mutation) {
      const mutation = values.mutation.split(',').map(readMutation)
      for (const { group, killed, survivors } of mutation)
        console.log(`${group}: ${killed} found, ${survivors.length} survive`)
      if (values.report) addResults({ mutation })
      if (values.report) writeReport()
      return 0
    }
    if (values.short) return await proveShort(Number(values.seed))
    if (values.planted !== undefined) {
      const found = await findPlanted(values.planted, Number(values.seed))
      if (values.report) addResults({ planted: found })
      if (values.report) writeReport()
      return found.every(({ isNamed }) => isNamed) ? 0 : 1
    }
    if (values.signals !== undefined) {
      const signals = await proveSignals(values.signals, values.seed, values.nodes)
      if (values.report) addResults({ signals })
      if (values.report) writeReport()
      return signals.anomalies.length === 0 ? 0 : 1
    }
    if (values.soak !== undefined) {
      const soak = await proveSoak(Number(values.soak), Number(values.seed))
      if (values.report) addResults({ soak })
      if (values.report) writeReport()
      return soak.anomalies.length === 0 ? 0 : 1
    }
    if (values.citus !== undefined) {
      const citus = await proveCitus(values.citus, values.ops, values.seed)
      if (values.report) addResults({ citus })
      if (values.report) writeReport()
      return citus.anomalies.length === 0 ? 0 : 1
    }
    if (values.complexity !== undefined) {
      const complexity = await runComplexity({ share: Number(values.complexity), seed: Number(values.seed) })
      const { places, requests, longestMs, anomalies } = complexity
      console.log(
        `${places} places, ${requests} requests, ${longestMs.toFixed(0)} ms at most, anomalies: ${anomalies.length}`,
      )
      print(anomalies)
      if (values.report) addResults({ complexity })
      if (values.report) writeReport()
      return anomalies.length === 0 ? 0 : 1
    }
    if (values.fuzz !== undefined) {
      const fuzz = await runFuzz(Number(values.fuzz))
      if (fuzz && values.report) addResults({ fuzz })
      if (fuzz && values.report) writeReport()
      return fuzz ? 0 : 1
    }
    const [seed, seeds, ops, nodes] = [values.seed, values.seeds, values.ops, values.nodes].map(Number) as [
      number,
      number,
      number,
      number,
    ]
    if (seeds === 0) {
      writeReport()
      return 0
    }
    const faults = readFaults(values.faults)
    const histories = await runSeeds({ seed, seeds, ops, nodes, faults, isReported: values.report })
    if (values.report) writeReport()
    return histories.every(({ anomalies }) => anomalies.length === 0) ? 0 : 1
  } finally {
    await runCleanups()
  }
}
