import { cpuSeconds, peakMb, postgresCpuSeconds } from './processes.mjs'
import { median } from './table.mjs'

export const CONNECTIONS = 16
/** For each workload before any is measured: V8 needs tens of seconds of load to optimise the code of a request. */
export const WARM_UP_MS = 6_000
const WARM_MS = 1_500

const check = ({ statuses }, name) => {
  const bad = Object.keys(statuses).filter((status) => status >= '400')
  if (bad.length > 0) throw new Error(`${name} answered ${JSON.stringify(statuses)}`)
}

/**
 * Alternates between the two (A B A B …), so that other load on the machine affects both. With `databases`, the data folders of
 * their PostgreSQL servers, the CPU time of these is measured too.
 */
export const compare = async ({
  load,
  server,
  reference,
  work,
  ours,
  theirs,
  rounds,
  connections = CONNECTIONS,
  count = undefined,
  ms,
  databases = /** @type {Record<'ours' | 'theirs', string> | undefined} */ (undefined),
}) => {
  /** @type {Record<'ours' | 'theirs', any[]>} */
  const results = { ours: [], theirs: [] }
  const cpu = { ours: 0, theirs: 0 }
  const databaseCpu = { ours: 0, theirs: 0 }
  const databaseSeconds = (name) => (databases ? postgresCpuSeconds(databases[name]) : 0)
  const go = (side) => load.ask({ connections, ...(count ? { count } : { ms }), ...side })
  // Warm up the JIT.
  await go({ ...ours, ...(count ? {} : { ms: WARM_MS }) })
  await go({ ...theirs, ...(count ? {} : { ms: WARM_MS }) })
  const measure = async (name, side, { pid }, who) => {
    const [before, databaseBefore] = [cpuSeconds(pid), databaseSeconds(name)]
    const result = await go(side)
    cpu[name] += cpuSeconds(pid) - before
    databaseCpu[name] += databaseSeconds(name) - databaseBefore
    check(result, who)
    results[name].push(result)
  }
  for (let round = 0; round < rounds; round++) {
    await measure('ours', ours, server, work.name)
    await measure('theirs', theirs, reference ?? server, `${work.against} of ${work.name}`)
  }
  const ratios = results.ours.map(({ rps }, round) => rps / results.theirs[round].rps)
  const perRequest = (seconds, side) =>
    (seconds[side] / results[side].reduce((sum, { count }) => sum + count, 0)) * 1000
  const of = (side, field) => median(results[side].map((one) => one[field]))
  return {
    work: work.name,
    against: work.against,
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    target: work.target,
    rps: of('ours', 'rps'),
    p50: of('ours', 'p50'),
    p99: of('ours', 'p99'),
    referenceRps: of('theirs', 'rps'),
    referenceP50: of('theirs', 'p50'),
    cpuMs: perRequest(cpu, 'ours'),
    referenceCpuMs: perRequest(cpu, 'theirs'),
    ...(databases && {
      databaseCpuMs: perRequest(databaseCpu, 'ours'),
      referenceDatabaseCpuMs: perRequest(databaseCpu, 'theirs'),
    }),
    peakMb: peakMb(server.pid),
  }
}
