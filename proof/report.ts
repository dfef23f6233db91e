import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Planted } from './planted/find.ts'
import type { Anomaly } from './record.ts'

// The bundle is two folders below the root.
const RESULTS = fileURLToPath(new URL('../../proof/results.json', import.meta.url))
const REPORT = fileURLToPath(new URL('../../docs/proof.md', import.meta.url))

export interface SeedResult {
  seed: number
  ops: number
  nodes: number
  faults: string[]
  writes: number
  reads: number
  events: number
  ok: number
  refused: number
  unknown: number
  seconds: number
  anomalies: Anomaly[]
}

interface Results {
  date: string
  machine: string
  histories: Omit<SeedResult, 'faults' | 'anomalies'>[]
  faults: Record<string, number>
  anomalies: { seed: number; name: string; detail: string }[]
  planted: Planted[]
}

const EMPTY: Results = { date: '', machine: '', histories: [], faults: {}, anomalies: [], planted: [] }

const read = (): Results => (existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : structuredClone(EMPTY))

/**
 * Adds what ran to proof/results.json, from which the report is made. A seed repeats the choices, not the timing, so an earlier
 * run of it stays: an anomaly does not vanish because it was not seen again. A planted bug that ran before is replaced.
 */
export const addResults = ({ histories = [], planted = [] }: { histories?: SeedResult[]; planted?: Planted[] }) => {
  const results = read()
  results.date = new Date().toISOString().slice(0, 10)
  results.machine = `${availableParallelism()} processors, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, ${process.platform}`
  for (const { faults, anomalies, ...history } of histories) {
    results.histories.push(history)
    for (const { name, detail } of anomalies) results.anomalies.push({ seed: history.seed, name, detail })
    for (const fault of faults) results.faults[fault] = (results.faults[fault] ?? 0) + 1
  }
  for (const bug of planted) results.planted = [...results.planted.filter(({ name }) => name !== bug.name), bug]
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`)
}

const sum = <T>(rows: readonly T[], field: (row: T) => number) => rows.reduce((total, row) => total + field(row), 0)
const shown = (count: number) => count.toLocaleString('en')

/** Writes docs/proof.md from the results. */
export const writeReport = () => {
  const { date, machine, histories, faults, anomalies, planted } = read()
  const seeds = histories.map(({ seed }) => seed).sort((a, b) => a - b)
  const lines = [
    '# Proof',
    '',
    'Made by `npm run proof -- --report` from `proof/results.json`. [testing.md](testing.md#proof) explains the commands and the checks.',
    '',
    `Last run: ${date}, on ${machine}.`,
    '',
    '## Histories',
    '',
    `${shown(seeds.length)} runs (seeds ${seeds[0] ?? '-'} to ${seeds.at(-1) ?? '-'}), ${shown(sum(histories, ({ writes }) => writes))} writes and ` +
      `${shown(sum(histories, ({ reads }) => reads))} reads of two nodes, ${shown(sum(histories, ({ events }) => events))} events.`,
    `Of the writes, ${shown(sum(histories, ({ ok }) => ok))} were acknowledged, ${shown(sum(histories, ({ refused }) => refused))} refused, ` +
      `and of ${shown(sum(histories, ({ unknown }) => unknown))} the outcome was unknown to the client.`,
    `Anomalies: ${anomalies.length}.`,
    '',
    ...anomalies.slice(0, 20).map(({ seed, name, detail }) => `- seed ${seed}: ${name}: ${detail}`),
    '',
    '| Fault | Times |',
    '|---|---|',
    ...Object.entries(faults).map(([fault, times]) => `| ${fault} | ${times} |`),
    '',
    '## Planted bugs',
    '',
    `${planted.filter(({ isNamed }) => isNamed).length} of ${planted.length} were found and named.`,
    '',
    '| Bug | What was taken away | Found as | Seed | Seconds |',
    '|---|---|---|---|---|',
    ...planted.map(
      ({ name, what, isNamed, names, seed, seconds }) =>
        `| ${name} | ${what} | ${isNamed ? names.join('; ') : '**not found**'} | ${seed} | ${seconds.toFixed(0)} |`,
    ),
    '',
  ]
  writeFileSync(REPORT, lines.join('\n'))
}
