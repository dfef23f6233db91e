import { RotateCcw } from 'lucide-react'
import { Link } from 'wouter'
import type { Delivery } from '../../api/developer.ts'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Table } from '../../components/Table.tsx'
import { useAddress, withChanges } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import styles from '../developer/Developer.module.css'
import { useDeveloperWords } from '../developer/words.ts'
import { Answer, DeliveryState } from './State.tsx'
import { useWebhookWords } from './words.ts'

const STATES = ['waiting', 'delivered', 'failed'] as const

interface DeliveriesProps {
  /** Where one event is shown. */
  hrefOf: (event: string) => string
  deliveries: readonly Delivery[]
  next: string | null
  busy: boolean
  onAgain: (event: string) => void
}

/** What became of each event, and what the receiver answered last. */
export const Deliveries = ({ hrefOf, deliveries, next, busy, onAgain }: DeliveriesProps) => {
  const { controls } = useMessages()
  const developer = useDeveloperWords()
  const words = useWebhookWords()
  const { locale } = useWords()
  const { params, search, path, change } = useAddress()
  const number = (value: number) => numberFormat(locale).format(value)
  return (
    <Surface>
      <div className={styles.filters}>
        <SelectField
          label={words.log}
          value={params.get('state') ?? ''}
          choices={[
            { value: '', label: developer.all },
            ...STATES.map((value) => ({ value, label: words.deliveryStates[value] })),
          ]}
          onChange={({ target }) => change({ state: target.value })}
        />
      </div>
      <p className={styles.note}>{words.logHelp}</p>
      {deliveries.length === 0 && <Empty title={words.noLog}>{words.noLogHelp}</Empty>}
      {deliveries.length > 0 && (
        <Table
          caption={words.log}
          rows={deliveries}
          keyOf={({ event_id }) => event_id}
          nameOf={({ event_id }) => event_id}
          href={({ event_id }) => hrefOf(event_id)}
          columns={[
            {
              id: 'event',
              label: words.event,
              cell: ({ type, is_replay }) => (
                <>
                  <Ltr>{type}</Ltr> {is_replay && <small>{words.replayed}</small>}
                </>
              ),
            },
            { id: 'state', label: words.state, cell: ({ state }) => <DeliveryState state={state} /> },
            { id: 'answer', label: words.answer, wide: true, cell: (delivery) => <Answer delivery={delivery} /> },
            {
              id: 'attempts',
              label: words.attempts,
              align: 'end',
              wide: true,
              cell: ({ attempts }) => number(attempts),
            },
            {
              id: 'ms',
              label: developer.ms,
              align: 'end',
              wide: true,
              cell: ({ ms }) => (ms === null ? '–' : number(ms)),
            },
            {
              id: 'time',
              label: words.time,
              wide: true,
              cell: ({ done_at, first_attempt_at }) => {
                const at = done_at ?? first_attempt_at
                return at ? <When at={at} /> : '–'
              },
            },
            {
              id: 'next',
              label: words.next,
              wide: true,
              cell: ({ next_attempt_at }) => (next_attempt_at ? <When at={next_attempt_at} /> : '–'),
            },
            {
              id: 'again',
              label: words.sendAgain,
              align: 'end',
              cell: ({ state, event_id, type }) =>
                state !== 'waiting' && (
                  <Button
                    kind="quiet"
                    icon={<RotateCcw />}
                    aria-label={words.sendAgainOf(type)}
                    disabled={busy}
                    onClick={() => onAgain(event_id)}
                  />
                ),
            },
          ]}
        />
      )}
      {next && (
        <p className={styles.note}>
          <Link href={`${path}?${withChanges(search, { cursor: next })}`}>{controls.next}</Link>
        </p>
      )}
    </Surface>
  )
}
