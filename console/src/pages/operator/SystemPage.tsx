import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { operatorApi } from '../../api/console.ts'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { useOperatorMessages, withOperatorMessages } from '../../messages/operator/operator.ts'
import styles from './SystemPage.module.css'

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
  const { system: words } = useOperatorMessages()
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
          [words.lifecycle, number(queues.lifecycle_posts)],
        ]}
      />
      <p className={styles.help}>{words.help}</p>
    </div>
  )
}

const SystemPage = () => {
  const { shell } = useMessages()
  const query = useQuery({
    queryKey: ['service', 'system'],
    queryFn: operatorApi.system,
    refetchInterval: 10_000,
  })
  return (
    <Page title={shell.systemPage}>
      <Loaded query={query}>{query.data && <Sections system={query.data} />}</Loaded>
    </Page>
  )
}

export default withOperatorMessages(SystemPage)
