import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { developerApi } from '../../api/developer.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Table } from '../../components/Table.tsx'
import { useAddress, withChanges } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'
import { useDeveloperWords } from '../developer/words.ts'
import { WebhookState } from './State.tsx'
import { useWebhookWords } from './words.ts'

const STATES = ['on', 'failing', 'paused'] as const
const REFRESH_MS = 10_000

/** Where the events of the app are sent, in all stores. */
const WebhooksPage = () => {
  const { controls } = useMessages()
  const developer = useDeveloperWords()
  const words = useWebhookWords()
  const { locale } = useWords()
  const app = useAppId()
  const { params, search, path, change } = useAddress()
  const state = params.get('state') ?? ''
  const cursor = params.get('cursor') ?? ''
  const asked = new URLSearchParams({ ...(state && { state }), ...(cursor && { cursor }) })
  const query = useQuery({
    queryKey: ['developer', app, 'webhooks', asked.toString()],
    queryFn: () => developerApi.webhooks(app, asked),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const { data } = query
  const number = (value: number) => numberFormat(locale).format(value)
  return (
    <AppFrame section="webhooks">
      <Surface>
        <div className={styles.filters}>
          <SelectField
            label={words.state}
            value={state}
            choices={[
              { value: '', label: developer.all },
              ...STATES.map((value) => ({ value, label: words.states[value] })),
            ]}
            onChange={({ target }) => change({ state: target.value })}
          />
        </div>
        <p className={styles.note}>{data?.is_on === false ? words.off : words.help}</p>
        <Loaded query={query}>
          {data?.webhooks.length === 0 && (
            <Empty title={words.empty}>{state === '' ? words.emptyHelp : words.emptyFilter}</Empty>
          )}
          {data && data.webhooks.length > 0 && (
            <Table
              caption={developer.sections.webhooks}
              rows={data.webhooks}
              keyOf={({ id }) => id}
              nameOf={({ url }) => url}
              href={({ id }) => `/apps/${app}/webhooks/${id}`}
              columns={[
                {
                  id: 'address',
                  label: words.address,
                  cell: ({ url }) => (
                    <span className={styles.route}>
                      <Ltr>{url}</Ltr>
                    </span>
                  ),
                },
                { id: 'store', label: developer.store, wide: true, cell: ({ store }) => <bdi>{store}</bdi> },
                { id: 'state', label: words.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
                { id: 'behind', label: words.behind, align: 'end', wide: true, cell: ({ behind }) => number(behind) },
                {
                  id: 'waiting',
                  label: words.waiting,
                  align: 'end',
                  wide: true,
                  cell: ({ waiting }) => number(waiting),
                },
                { id: 'failed', label: words.failed, align: 'end', wide: true, cell: ({ failed }) => number(failed) },
                {
                  id: 'failing',
                  label: words.failingSince,
                  wide: true,
                  cell: ({ failing_since }) => (failing_since ? <When at={failing_since} /> : '–'),
                },
              ]}
            />
          )}
          {data?.next_cursor && (
            <p className={styles.note}>
              <Link href={`${path}?${withChanges(search, { cursor: data.next_cursor })}`}>{controls.next}</Link>
            </p>
          )}
        </Loaded>
      </Surface>
    </AppFrame>
  )
}

export default WebhooksPage
