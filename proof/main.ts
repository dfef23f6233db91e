import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runCleanups } from '../tests/support/cleanup.ts'
import { check } from './checker/check.ts'
import { FAULTS, type Fault } from './history/faults.ts'
import { runHistory } from './history/run.ts'
import { startWorld } from './history/world.ts'
import { findPlanted } from './planted/find.ts'
import type { Anomaly, History } from './record.ts'
import { addResults, writeReport } from './report.ts'
import { runSignals } from './signals/run.ts'

const HELP = `npm run proof -- [options]
  --seed N        the first seed (default: 1)
  --seeds N       how many seeds, one after the other (default: 1)
  --ops N         operations of each seed (default: 5000)
  --nodes N       nodes of the service (default: 2)
  --faults LIST   all, none, failover, or some of ${FAULTS.join(',')}
  --planted LIST  all, a number of bugs, or their names: plants each in a copy of the build and looks for it
  --signals N     instead: a history of N steps of orders at a cash-on-delivery desk, recounted again and again
  --keep FILE     writes the last history to a file
  --report        adds the results to docs/proof.md`

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

/** Runs histories and checks each. Returns how many anomalies there were. */
const runSeeds = async (options: {
  seed: number
  seeds: number
  ops: number
  nodes: number
  faults: Fault[]
  keep?: string | undefined
}) => {
  const world = await startWorld({ nodes: options.nodes, hasCluster: options.faults.includes('failover') })
  const results = []
  for (let seed = options.seed; seed < options.seed + options.seeds; seed++) {
    const history = await runHistory(world, { seed, ops: options.ops, faults: options.faults })
    if (options.keep) writeFileSync(options.keep, JSON.stringify(history))
    const anomalies = check(history)
    const counts = countsOf(history)
    console.log(
      `seed ${seed}: ${counts.writes} writes (${counts.ok} ok, ${counts.refused} refused, ${counts.unknown} unknown), ` +
        `${counts.reads} reads, ${counts.events} events, ${history.faults.length} faults, ` +
        `${history.seconds.toFixed(0)} s, anomalies: ${anomalies.length}`,
    )
    print(anomalies)
    results.push({
      seed,
      ops: options.ops,
      nodes: options.nodes,
      faults: history.faults,
      ...counts,
      seconds: history.seconds,
      anomalies,
    })
  }
  for (const node of world.nodes) await node.stop()
  return results
}

/** Returns the exit code. */
const proveSignals = async (...numbers: [steps: string, seed: string, nodes: string]) => {
  const [steps, seed, nodes] = numbers.map(Number) as [number, number, number]
  const run = await runSignals({ steps, seed, nodes })
  console.log(
    `seed ${seed}: ${run.steps} steps (${run.refused} refused) on ${nodes} nodes, recounted ${run.recounts} times` +
      `${run.isRestored ? ' and after a restore' : ''}, ${run.seconds.toFixed(0)} s, anomalies: ${run.anomalies.length}`,
  )
  print(run.anomalies)
  return run.anomalies.length === 0 ? 0 : 1
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
      keep: { type: 'string' },
      report: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  try {
    if (values.planted !== undefined) {
      const found = await findPlanted(values.planted, Number(values.seed))
      if (values.report) addResults({ planted: found })
      if (values.report) writeReport()
      return found.every(({ isNamed }) => isNamed) ? 0 : 1
    }
    if (values.signals !== undefined) return await proveSignals(values.signals, values.seed, values.nodes)
    const [seed, seeds, ops, nodes] = [values.seed, values.seeds, values.ops, values.nodes].map(Number) as [
      number,
      number,
      number,
      number,
    ]
    const histories = await runSeeds({ seed, seeds, ops, nodes, faults: readFaults(values.faults), keep: values.keep })
    if (values.report) addResults({ histories })
    if (values.report) writeReport()
    return histories.every(({ anomalies }) => anomalies.length === 0) ? 0 : 1
  } finally {
    await runCleanups()
  }
}
