export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const fixed = (digits) => (value) => (Number.isFinite(value) ? value.toFixed(digits) : '-')

/** @type {[name: string, show: (row: any) => string][]} */
const COLUMNS = [
  ['work', (row) => row.work],
  ['against', (row) => row.against],
  ['ratio', (row) => fixed(2)(row.ratio)],
  ['(least-most)', (row) => row.spread.map(fixed(2)).join('-')],
  ['target', (row) => (row.target ? `${row.target} ${row.ratio >= row.target ? 'met' : 'MISSED'}` : '')],
  ['req/s', (row) => fixed(0)(row.rps)],
  ['p50 ms', (row) => fixed(2)(row.p50)],
  ['p99 ms', (row) => fixed(2)(row.p99)],
  ['ref req/s', (row) => fixed(0)(row.referenceRps)],
  ['CPU ms/req', (row) => fixed(3)(row.cpuMs)],
  ['ref CPU', (row) => fixed(3)(row.referenceCpuMs)],
  ['peak RSS MB', (row) => fixed(0)(row.peakMb)],
]

/** Compares a fact with its upper limit `most` or its lower limit `least`. */
const verdict = ({ value, most, least }) => {
  if (most !== undefined) return `at most ${most} ${value <= most ? 'met' : 'MISSED'}`
  return least === undefined ? '' : `at least ${least} ${value >= least ? 'met' : 'MISSED'}`
}

export const printTable = ({ rows, facts = {}, columns = COLUMNS }) => {
  print([columns.map(([name]) => name), ...rows.map((row) => columns.map(([, show]) => String(show(row))))])
  if (Object.keys(facts).length === 0) return
  console.log()
  print(Object.entries(facts).map(([name, fact]) => [name, String(fact.value), verdict(fact)]))
}

const print = (lines) => {
  const widths = (lines[0] ?? []).map((_, index) => Math.max(...lines.map((line) => line[index].length)))
  for (const line of lines)
    console.log(
      widths
        .map((width, index) => line[index][index === 0 ? 'padEnd' : 'padStart'](width))
        .join('  ')
        .trimEnd(),
    )
}
