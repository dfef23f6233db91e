import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { Link, useParams } from 'wouter'
import { useInstallation } from '../../api/app-client.ts'
import type { Client } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { useCopy } from '../../components/useCopy.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'
import { useDeveloperWords } from '../developer/words.ts'
import { useEventWords } from './words.ts'

const Json = ({ title, value }: { title: string; value: unknown }) => (
  <>
    <h2 className={styles.heading}>{title}</h2>
    {/* It scrolls by itself, so it must be focusable by keyboard. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
    <pre className={styles.code} dir="ltr" tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  </>
)

/** One event, with the resource as it is now. */
const EventPage = () => {
  const { controls } = useMessages()
  const { locale } = useWords()
  const developer = useDeveloperWords()
  const words = useEventWords()
  const copy = useCopy()
  const app = useAppId()
  const { event: id = '' } = useParams<{ event: string }>()
  const { chosen, client } = useInstallation(app)
  const query = useQuery({
    queryKey: ['feed', chosen?.id, id],
    queryFn: () => (client as Client).events.get(id),
    enabled: client !== undefined,
  })
  const event = query.data
  return (
    <AppFrame section="events">
      <Surface>
        <Loaded query={query}>
          {event && (
            <>
              <dl className={styles.facts}>
                {[
                  [words.event, <Ltr key="type">{event.type}</Ltr>] as const,
                  [words.time, <When key="time" at={event.timestamp} />] as const,
                  [developer.store, <bdi key="store">{chosen?.store}</bdi>] as const,
                  [words.resource, <Ltr key="resource">{`${event.resource.kind} ${event.resource.id}`}</Ltr>] as const,
                  [words.by, <bdi key="by">{event.app?.name ?? words.nobody}</bdi>] as const,
                  [words.changed, <Ltr key="changed">{event.changed.join(', ') || '–'}</Ltr>] as const,
                  [words.position, numberFormat(locale).format(event.position)] as const,
                  [words.id, <Ltr key="id">{event.id}</Ltr>] as const,
                ].map(([label, value]) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
              {Object.keys(event.previous).length > 0 && <Json title={words.previous} value={event.previous} />}
              <Json title={words.data} value={event.data} />
              <p className={styles.note}>
                <Button icon={<Copy />} onClick={() => copy(JSON.stringify(event, null, 2))}>
                  {words.copy}
                </Button>
              </p>
            </>
          )}
        </Loaded>
      </Surface>
      <p>
        <Link href={`/apps/${app}/events?store=${chosen?.store_id ?? ''}`}>{controls.back}</Link>
      </p>
    </AppFrame>
  )
}

export default EventPage
