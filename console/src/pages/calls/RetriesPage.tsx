import { useQuery } from '@tanstack/react-query'
import { developerApi } from '../../api/developer.ts'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Table } from '../../components/Table.tsx'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import { useDeveloperWords } from '../developer/words.ts'
import { Status } from './Status.tsx'

/** Idempotency keys that were sent more than once in a day. */
const RetriesPage = () => {
  const words = useDeveloperWords()
  const { locale } = useWords()
  const app = useAppId()
  const { data, error } = useQuery({
    queryKey: ['developer', app, 'retries'],
    queryFn: () => developerApi.retries(app),
  })
  const number = (value: number) => numberFormat(locale).format(value)
  return (
    <AppFrame section="retries">
      <Surface>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={8} />}
        {data?.retries.length === 0 && <Empty title={words.noRetries}>{words.noRetriesHelp}</Empty>}
        {data && data.retries.length > 0 && (
          <Table
            caption={words.sections.retries}
            rows={data.retries}
            keyOf={({ idempotency_key, store, first_at }) => `${idempotency_key} ${store} ${first_at}`}
            nameOf={({ idempotency_key }) => idempotency_key}
            href={({ method, route }) =>
              `/apps/${app}/log?${new URLSearchParams({ ...(method && { method }), ...(route && { route }) })}`
            }
            columns={[
              { id: 'key', label: words.key, cell: ({ idempotency_key }) => <Ltr>{idempotency_key}</Ltr> },
              {
                id: 'call',
                label: words.call,
                wide: true,
                cell: ({ method, route }) => <Ltr>{`${method ?? ''} ${route ?? ''}`}</Ltr>,
              },
              { id: 'status', label: words.firstStatus, wide: true, cell: ({ status }) => <Status status={status} /> },
              { id: 'replays', label: words.replays, align: 'end', cell: ({ replays }) => number(replays) },
              { id: 'conflicts', label: words.conflicts, align: 'end', cell: ({ conflicts }) => number(conflicts) },
              { id: 'last', label: words.last, wide: true, cell: ({ last_at }) => <When at={last_at} /> },
            ]}
          />
        )}
      </Surface>
    </AppFrame>
  )
}

export default RetriesPage
