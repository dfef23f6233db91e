import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { operatorApi } from '../../api/console.ts'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import styles from './SystemPage.module.css'
import { useSystemWords } from './system-words.ts'
import { useSystemTitle } from './titles.ts'

type System = Awaited<ReturnType<typeof operatorApi.system>>

const Facts = ({ title, facts }: { title: string; facts: readonly (readonly [string, ReactNode])[] }) => (
  <Surface padded>
    <h2>{title}</h2>
    <dl className={styles.list}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </Surface>
)

const Sections = ({ system }: { system: System }) => {
  const words = useSystemWords()
  const { locale } = useWords()
  const { schema, database, disk, shards, queues } = system
  const number = (value: number) => numberFormat(locale).format(value)
  const bytes = (value: number) =>
    numberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }).format(value / 2 ** 20)
  return (
    <div className={styles.page}>
      <Facts
        title={words.service}
        facts={[
          [words.release, <Ltr key="release">{system.version}</Ltr>],
          [words.node, <Ltr key="node">{system.node}</Ltr>],
          [words.workers, number(system.workers)],
          [words.since, <When key="since" at={new Date(Date.now() - system.uptime_seconds * 1000).toISOString()} />],
          [words.memory, bytes(system.memory)],
          ...(disk ? [[words.free, bytes(disk.free)] as const] : []),
        ]}
      />
      <Facts
        title={words.database}
        facts={[
          [words.version, <Ltr key="version">{database.version}</Ltr>],
          [words.database, database.embedded ? words.embedded : words.external],
          [words.size, bytes(database.bytes)],
          [words.connections, <Ltr key="connections">{`${database.connections} / ${database.max_connections}`}</Ltr>],
          [words.latest, <Ltr key="latest">{schema.latest}</Ltr>],
          [words.applied, number(schema.applied)],
          [
            words.pending,
            schema.pending.length > 0 ? <Ltr key="pending">{schema.pending.join(', ')}</Ltr> : words.none,
          ],
          ...shards.map(({ machine, shards }) => [`${words.shards}: ${machine}`, number(shards)] as const),
        ]}
      />
      <Facts
        title={words.queues}
        facts={[
          [words.bulkJobs, number(queues.bulk_jobs)],
          [words.deliveries, number(queues.webhook_deliveries)],
          [words.failing, number(queues.failing_webhooks)],
          [words.lifecycle, number(queues.lifecycle_posts)],
        ]}
      />
    </div>
  )
}

const TONES = { ok: 'good', note: 'warn', fault: 'bad' } as const

/** What the command `doctor` finds. Its sentences are in English everywhere, as on the command line. */
const Doctor = () => {
  const words = useSystemWords()
  const { locale } = useWords()
  const query = useQuery({
    queryKey: ['service', 'doctor'],
    queryFn: operatorApi.doctor,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, isFetching, refetch } = query
  const faults = data?.findings.filter(({ state }) => state !== 'ok') ?? []
  const repairs = data?.findings.flatMap(({ repairs = [] }) => repairs) ?? []
  return (
    <Surface padded>
      <div className={styles.heading}>
        <h2>{words.checks}</h2>
        <Button busy={isFetching} onClick={() => refetch()}>
          {words.checkAgain}
        </Button>
      </div>
      <Loaded query={query}>
        {data && (
          <>
            <p className={styles.help}>
              {faults.length === 0 ? words.noFaults : words.faults(faults.length)} <When at={data.at} />
            </p>
            <ul className={styles.findings}>
              {data.findings.map(({ check, state, found, fix }) => (
                <li key={`${check} ${found}`}>
                  <Badge tone={TONES[state]}>{words.findings[state]}</Badge>
                  <div lang="en" dir="ltr">
                    <strong>{check}</strong> {found}
                    {fix && <small>→ {fix}</small>}
                  </div>
                </li>
              ))}
            </ul>
            <h3>{words.repair}</h3>
            <p className={styles.help}>{repairs.length === 0 ? words.nothingToRepair : words.repairHelp}</p>
            {repairs.length > 0 && (
              <ul className={styles.repairs}>
                {repairs.map(({ kind, texts }) => (
                  <li key={kind}>
                    <Ltr>{kind}</Ltr>: {numberFormat(locale).format(texts)}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </Surface>
  )
}

const SystemPage = () => {
  const title = useSystemTitle()
  const query = useQuery({
    queryKey: ['service', 'system'],
    queryFn: operatorApi.system,
    refetchInterval: 10_000,
  })
  return (
    <Page title={title}>
      <Loaded query={query}>{query.data && <Sections system={query.data} />}</Loaded>
      <Doctor />
    </Page>
  )
}

export default SystemPage
