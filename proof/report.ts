import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { CitusResult } from './citus/run.ts'
import type { ComplexityResult } from './complexity/run.ts'
import type { FuzzResult } from './fuzz.ts'
import { createReasons, type MutationResult } from './mutation/read.ts'
import type { Planted } from './planted/find.ts'
import type { Anomaly } from './record.ts'
import type { SignalsResult } from './signals/run.ts'
import type { SoakResult } from './soak/run.ts'

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

interface Noted {
  seed: number
  name: string
  detail: string
  /** What it was, entered by hand once it is understood. Without that, it is open. */
  cured?: string
}

interface Results {
  date: string
  machine: string
  histories: Omit<SeedResult, 'faults' | 'anomalies'>[]
  faults: Record<string, number>
  anomalies: Noted[]
  planted: (Planted & { date?: string })[]
  fuzz: FuzzResult[]
  complexity: ComplexityResult[]
  signals: SignalsResult[]
  soak: SoakResult[]
  citus: CitusResult[]
  mutation: MutationResult[]
}

const EMPTY: Results = {
  ...{ date: '', machine: '', histories: [], faults: {}, anomalies: [] },
  ...{ planted: [], fuzz: [], complexity: [], signals: [], soak: [], citus: [], mutation: [] },
}

const read = (): Results => ({
  ...structuredClone(EMPTY),
  ...(existsSync(RESULTS) && JSON.parse(readFileSync(RESULTS, 'utf8'))),
})

/**
 * Adds what ran to proof/results.json, from which the report is made. A seed repeats the choices, not the timing, so an earlier
 * run of it stays: an anomaly does not vanish because it was not seen again. A planted bug that ran before is replaced,
 * and so is a group of mutants.
 */
export const addResults = ({
  histories = [],
  planted = [],
  fuzz,
  complexity,
  signals,
  soak,
  citus,
  mutation = [],
}: {
  histories?: SeedResult[]
  planted?: Planted[]
  fuzz?: FuzzResult
  complexity?: ComplexityResult
  signals?: SignalsResult
  soak?: SoakResult
  citus?: CitusResult
  mutation?: MutationResult[]
}) => {
  const results = read()
  results.date = new Date().toISOString().slice(0, 10)
  results.machine = `${availableParallelism()} processors, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, ${process.platform}`
  for (const { faults, anomalies, ...history } of histories) {
    results.histories.push(history)
    for (const { name, detail } of anomalies) results.anomalies.push({ seed: history.seed, name, detail })
    for (const fault of faults) results.faults[fault] = (results.faults[fault] ?? 0) + 1
  }
  if (fuzz) results.fuzz.push(fuzz)
  if (complexity) results.complexity.push(complexity)
  if (signals) results.signals.push(signals)
  if (soak) results.soak.push(soak)
  if (citus) results.citus.push(citus)
  for (const run of mutation) results.mutation = [...results.mutation.filter(({ group }) => group !== run.group), run]
  for (const bug of planted)
    results.planted = [...results.planted.filter(({ name }) => name !== bug.name), { ...bug, date: results.date }]
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`)
}

const sum = <T>(rows: readonly T[], field: (row: T) => number) => rows.reduce((total, row) => total + field(row), 0)
const shown = (count: number) => count.toLocaleString('en')

const MAX_LISTED = 20

/** Open ones first. */
const describeAnomalies = (anomalies: readonly Noted[]) =>
  [...anomalies]
    .sort((a, b) => Number(Boolean(a.cured)) - Number(Boolean(b.cured)))
    .slice(0, MAX_LISTED)
    .map(
      ({ seed, name, detail, cured }) =>
        `- seed ${seed}: ${name}: ${detail}${cured ? ` (cured: ${cured})` : ' (open)'}`,
    )

const describeFuzz = (runs: readonly FuzzResult[]) => {
  const last = runs.at(-1)
  if (!last) return ['Not run.']
  return [
    `${shown(sum(runs, ({ requests }) => requests))} requests in ${runs.length} runs, of which ${shown(sum(runs, ({ succeeded }) => succeeded))} succeeded. ` +
      'No server error, no reply that breaks its documented shape, no id of another store: a run with any of these fails and is not counted.',
    `${last.seen} of ${last.operations} operations succeeded in the last run, ${last.seenGenerated} of them with generated requests alone.`,
  ]
}

const describeComplexity = (runs: readonly ComplexityResult[]) => [
  '| Fields and parameters | Requests | Longest turn (ms) | Anomalies |',
  '|---|---|---|---|',
  ...runs.map(({ places, requests, longestMs, anomalies }) => {
    const found = anomalies.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
    return `| ${shown(places)} | ${shown(requests)} | ${longestMs.toFixed(0)} | ${found || 'none'} |`
  }),
]

const describeSignals = (runs: readonly SignalsResult[]) => [
  '| Steps | Seed | Nodes | Refused | Recounts | After a restore | Seconds | Anomalies |',
  '|---|---|---|---|---|---|---|---|',
  ...runs.map(({ steps, seed, nodes, refused, recounts, isRestored, seconds, anomalies }) => {
    const cells = [shown(steps), seed, nodes, shown(refused), recounts, isRestored ? 'yes' : 'no', seconds.toFixed(0)]
    return `| ${cells.join(' | ')} | ${anomalies.map(({ name, detail }) => `${name}: ${detail}`).join('; ') || 'none'} |`
  }),
]

const describeSoak = (runs: readonly SoakResult[]) => [
  'Each value is that of the second third of the time and that of the last; the first is for warming up.',
  '',
  '| Minutes | Requests | Faults | Memory (MB) | Descriptors | Connections | Files | Disk (MB per 1,000) | p99 (ms) | Anomalies |',
  '|---|---|---|---|---|---|---|---|---|---|',
  ...runs.map(
    ({ minutes, requests, faults, before, after, growthBefore, growthAfter, p99Before, p99After, anomalies }) => {
      const pair = (was: number, is: number, digits = 0) => `${was.toFixed(digits)}, ${is.toFixed(digits)}`
      const cells = [
        ...[minutes, shown(requests), faults.length, pair(before.memory, after.memory)],
        ...[pair(before.descriptors, after.descriptors), pair(before.connections, after.connections)],
        ...[pair(before.files, after.files), pair(growthBefore, growthAfter, 2), pair(p99Before, p99After)],
      ]
      return `| ${cells.join(' | ')} | ${anomalies.map(({ name, detail }) => `${name}: ${detail}`).join('; ') || 'none'} |`
    },
  ),
]

const describeCitus = (runs: readonly CitusResult[]) => [
  '| Operations | Seed | Citus | Writes | Refused | Reads | Pages afterwards | Events | Seconds | Anomalies |',
  '|---|---|---|---|---|---|---|---|---|---|',
  ...runs.map(({ ops, seed, version, writes, refused, reads, pages, events, seconds, anomalies }) => {
    const cells = [
      ...[shown(ops), seed, version, shown(writes), shown(refused), shown(reads), shown(pages), shown(events)],
      seconds.toFixed(0),
    ]
    return `| ${cells.join(' | ')} | ${anomalies.map(({ name, detail }) => `${name}: ${detail}`).join('; ') || 'none'} |`
  }),
]

const code = (text: string) => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``

const describeMutation = (runs: readonly MutationResult[]) => {
  const reasonOf = createReasons()
  const survivors = runs.flatMap(({ survivors }) => survivors)
  const killed = sum(runs, ({ killed }) => killed)
  const score = (found: number, missed: number) => `${((100 * found) / Math.max(1, found + missed)).toFixed(1)} %`
  const open = survivors.filter((survivor) => reasonOf(survivor) === undefined).length
  return [
    `${shown(killed)} of ${shown(killed + survivors.length)} mutants were found (${score(killed, survivors.length)}). Of those that survive, ${open} have no reason yet.`,
    '',
    '| Group | Files | Mutants | Found | Score | Run |',
    '|---|---|---|---|---|---|',
    ...runs.map(
      ({ group, files, killed, survivors, date }) =>
        `| ${group} | ${files.join(', ')} | ${killed + survivors.length} | ${killed} | ${score(killed, survivors.length)} | ${date} |`,
    ),
    '',
    '| Survivor | Was | Became | Why it changes nothing |',
    '|---|---|---|---|',
    ...survivors.map(
      (survivor) =>
        `| ${survivor.file}:${survivor.line} | ${code(survivor.was)} | ${code(survivor.is)} | ${reasonOf(survivor) ?? '**open**'} |`,
    ),
  ]
}

/** Writes docs/proof.md from the results. */
export const writeReport = () => {
  const { date, machine, histories, faults, anomalies, planted, fuzz, complexity, signals, soak, citus, mutation } =
    read()
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
    `${shown(sum(histories, ({ ops }) => ops))} operations in ${shown(seeds.length)} runs (seeds ${seeds[0] ?? '-'} to ${seeds.at(-1) ?? '-'}), ${shown(sum(histories, ({ writes }) => writes))} writes and ` +
      `${shown(sum(histories, ({ reads }) => reads))} reads of two nodes, ${shown(sum(histories, ({ events }) => events))} events.`,
    `Of the writes, ${shown(sum(histories, ({ ok }) => ok))} were acknowledged, ${shown(sum(histories, ({ refused }) => refused))} refused, ` +
      `and of ${shown(sum(histories, ({ unknown }) => unknown))} the outcome was unknown to the client.`,
    `Anomalies: ${anomalies.length}, of which ${anomalies.filter(({ cured }) => !cured).length} are open.`,
    '',
    ...describeAnomalies(anomalies),
    '',
    '| Fault | Times |',
    '|---|---|',
    ...Object.entries(faults).map(([fault, times]) => `| ${fault} | ${times} |`),
    '',
    '## Planted bugs',
    '',
    `${planted.filter(({ isNamed }) => isNamed).length} of ${planted.length} were found and named.`,
    '',
    '| Bug | What was taken away | Found as | Seed | Seconds | Run |',
    '|---|---|---|---|---|---|',
    ...planted.map(
      ({ name, what, isNamed, names, seed, seconds, date }) =>
        `| ${name} | ${what} | ${isNamed ? names.join('; ') : '**not found**'} | ${seed} | ${seconds.toFixed(0)} | ${date ?? ''} |`,
    ),
    '',
    '## Fuzz',
    '',
    ...describeFuzz(fuzz),
    '',
    '## Complexity',
    '',
    ...(complexity.length > 0 ? describeComplexity(complexity) : ['Not run.']),
    '',
    '## Signals',
    '',
    ...(signals.length > 0 ? describeSignals(signals) : ['Not run.']),
    '',
    '## Soak',
    '',
    ...(soak.length > 0 ? describeSoak(soak) : ['Not run.']),
    '',
    '## Citus',
    '',
    ...(citus.length > 0 ? describeCitus(citus) : ['Not run.']),
    '',
    '## Mutation',
    '',
    ...(mutation.length > 0 ? describeMutation(mutation) : ['Not run.']),
    '',
  ]
  writeFileSync(REPORT, lines.join('\n'))
}
