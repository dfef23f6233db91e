import { useInstallation } from '../../api/app-client.ts'
import { Empty } from '../../components/Empty.tsx'
import { CheckField, SelectField } from '../../components/Field.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Table } from '../../components/Table.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'
import { useDeveloperWords } from '../developer/words.ts'
import { useFeed } from './useFeed.ts'
import { useEventWords } from './words.ts'

const PERIODS = ['1', '24', '168', '720'] as const

/** What the app sees in the feed of a store, live. */
const EventsPage = () => {
  const developer = useDeveloperWords()
  const words = useEventWords()
  const app = useAppId()
  const { params, change } = useAddress()
  const { query: installed, installations, chosen, client, choose } = useInstallation(app)
  const types = params.get('types') ?? ''
  const hours = PERIODS.find((period) => period === params.get('hours')) ?? '24'
  const isLive = params.get('live') !== '0'
  const wanted = { installation: chosen?.id ?? '', types, hours: Number(hours) }
  const { query, fault, events } = useFeed(client, wanted, isLive)
  const visible = (installed.data?.event_types ?? []).filter((type) =>
    chosen?.event_kinds.includes(type.split('.')[0] ?? ''),
  )
  return (
    <AppFrame section="events">
      <Surface>
        {!installed.data && <Loaded query={installed}>{null}</Loaded>}
        {installations?.length === 0 && (
          <Empty title={developer.noInstallations}>{developer.noInstallationsHelp}</Empty>
        )}
        {chosen && (
          <div className={styles.filters}>
            <SelectField
              label={developer.store}
              value={chosen.store_id}
              choices={(installations ?? []).map(({ store_id, store }) => ({ value: store_id, label: store }))}
              onChange={({ target }) => choose(target.value)}
            />
            <SelectField
              label={words.type}
              value={types}
              choices={[{ value: '', label: developer.all }, ...visible.map((value) => ({ value, label: value }))]}
              onChange={({ target }) => change({ types: target.value })}
            />
            <SelectField
              label={words.since}
              value={hours}
              choices={PERIODS.map((value) => ({ value, label: words.periods[value] }))}
              onChange={({ target }) => change({ hours: target.value })}
            />
            <CheckField label={words.live} checked={isLive} onChange={(on) => change({ live: on ? undefined : '0' })} />
          </div>
        )}
        {chosen && (
          <>
            <p className={styles.note}>{words.help}</p>
            <Problem error={fault} />
            <Loaded query={query}>
              {events.length === 0 && <Empty title={words.empty}>{words.emptyHelp}</Empty>}
              {events.length > 0 && (
                <Table
                  caption={developer.sections.events}
                  rows={events}
                  keyOf={({ id }) => id}
                  nameOf={({ id }) => id}
                  href={({ id }) => `/apps/${app}/events/${id}?store=${chosen.store_id}`}
                  columns={[
                    { id: 'type', label: words.event, cell: ({ type }) => <Ltr>{type}</Ltr> },
                    { id: 'time', label: words.time, cell: ({ timestamp }) => <When at={timestamp} /> },
                    {
                      id: 'changed',
                      label: words.changed,
                      wide: true,
                      cell: ({ changed }) => (
                        <span className={styles.route}>
                          <Ltr>{changed.join(', ')}</Ltr>
                        </span>
                      ),
                    },
                    { id: 'by', label: words.by, wide: true, cell: ({ app }) => <bdi>{app?.name ?? '–'}</bdi> },
                    {
                      id: 'resource',
                      label: words.resource,
                      wide: true,
                      cell: ({ resource }) => <Ltr>{resource.id}</Ltr>,
                    },
                  ]}
                />
              )}
            </Loaded>
          </>
        )}
      </Surface>
    </AppFrame>
  )
}

export default EventsPage
