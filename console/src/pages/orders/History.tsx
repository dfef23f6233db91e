import { useStore } from '../../api/store.tsx'
import { When } from '../../components/When.tsx'
import type { Order } from './labels.ts'
import { NoteForm } from './NoteForm.tsx'
import styles from './OrderPage.module.css'
import { useOrderWords } from './words.ts'

type Entry = Order['history'][number]

const useEventText = () => {
  const words = useOrderWords()
  const status = (labels: Record<string, string>, key: string) => labels[key] ?? key
  return ({ subject, from, to }: Entry): string => {
    if (subject === 'status') return from === null ? words.event.placed : words.event.status(status(words.status, to))
    if (subject === 'is_cancelled') return to === 'true' ? words.event.cancelled : words.event.uncancelled
    if (subject === 'is_archived') return to === 'true' ? words.event.archived : words.event.unarchived
    if (subject === 'refund') return words.event.refund(status(words.refundStatus, to))
    if (subject === 'confirmation') return words.event.confirmation(status(words.confirmationState, to))
    if (subject === 'note') return words.event.note
    if (subject === 'variants') return to === 'merged' ? words.event.merged : words.event.variants
    return words.event[subject](status(words.deliveryStatus, to))
  }
}

const useAuthorText = () => {
  const words = useOrderWords()
  return ({ app_name, account_name, via }: Entry) => {
    if (!via) return [app_name, account_name].filter(Boolean).join(' · ')
    return account_name ? words.throughAssistant(account_name, app_name) : words.byAssistant(app_name)
  }
}

/** What happened, when, and by whom. */
export const History = ({ order }: { order: Order }) => {
  const words = useOrderWords()
  const { store, can } = useStore()
  const text = useEventText()
  const author = useAuthorText()
  return (
    <section className={styles.section}>
      <h2>{words.history}</h2>
      {can('order:update') && <NoteForm order={order.id} />}
      <ol className={styles.history}>
        {[...order.history].reverse().map((entry) => (
          <li key={entry.id}>
            <p>{text(entry)}</p>
            {entry.note && <p dir="auto">{entry.note}</p>}
            <small>
              <When at={entry.created_at} zone={store.time_zone} /> · <bdi>{author(entry)}</bdi>
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}
