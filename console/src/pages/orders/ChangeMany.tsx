import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { SelectField } from '../../components/Field.tsx'
import type { Matching } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import styles from '../../components/ManyRows.module.css'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { type Failure, useBulkJob } from '../../components/useBulkJob.ts'
import { useMatching } from '../../components/useMatching.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { useBulkWords } from './bulk-words.ts'
import type { Order } from './labels.ts'

const MAX_PREVIEW = 50

/** What a change of many orders looks at: whole orders of a store would be many megabytes. */
type Row = Pick<Order, 'id' | 'ref' | 'customer_name' | 'status' | 'is_cancelled' | 'is_archived'>

const rowOf = ({ id, ref, customer_name, status, is_cancelled, is_archived }: Order): Row => ({
  ...{ id, ref, customer_name, status, is_cancelled, is_archived },
})

/** What can be changed about many orders, and how it is taken back. To the others, the change has nothing to do. */
const CHANGES = {
  paid: {
    // An abandoned order that is paid would take stock: that is for one order at a time.
    changes: ({ status, is_cancelled }: Row) => status === 'pending' && !is_cancelled,
    line: { status: 'paid' },
    undo: { status: 'pending' },
  },
  archive: {
    changes: ({ is_archived }: Row) => !is_archived,
    line: { is_archived: true },
    undo: { is_archived: false },
  },
  unarchive: {
    changes: ({ is_archived }: Row) => is_archived,
    line: { is_archived: false },
    undo: { is_archived: true },
  },
} as const
type Change = keyof typeof CHANGES

const useTexts = () => {
  const words = useBulkWords()
  const { orders } = useMessages()
  return {
    paid: [orders.status.pending, orders.status.paid],
    archive: [words.inList, orders.archived],
    unarchive: [orders.archived, words.inList],
  } as const satisfies Record<Change, readonly [string, string]>
}

const Preview = ({ rows, change }: { rows: readonly Row[]; change: Change }) => {
  const words = useBulkWords()
  const { orders } = useMessages()
  const [before, after] = useTexts()[change]
  return (
    // Scrolls by itself, so it must be focusable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <section className={styles.box} tabIndex={0} aria-label={words.what}>
      <table className={styles.table}>
        <caption className="hidden">{words.what}</caption>
        <thead>
          <tr>
            <th scope="col">{orders.order}</th>
            <th scope="col">{words.before}</th>
            <th scope="col">{words.after}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_PREVIEW).map(({ id, ref, customer_name }) => (
            <tr key={id}>
              <th scope="row">
                <Ltr>{ref}</Ltr> <bdi>{customer_name}</bdi>
              </th>
              <td>{before}</td>
              <td>
                <ArrowRight className="pointing" aria-hidden /> {after}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const Failures = ({ failed }: { failed: readonly Failure<Row>[] }) => {
  const words = useBulkWords()
  return (
    <div role="alert" className={styles.failures}>
      <strong>{words.failed(failed.length)}</strong>
      <ul>
        {failed.slice(0, MAX_PREVIEW).map(({ row, problem }) => (
          <li key={row.id}>
            <Ltr>{row.ref}</Ltr>: {problem}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface ChangeManyProps {
  orders: readonly Order[]
  matching: Matching
  /** Called when all is done: nothing is selected any more. */
  done: () => void
  onClose: () => void
}

/** Changes the chosen orders, or all that match the filters: how many first, then progress, then what failed. */
const ChangeMany = ({ orders, matching, done, onClose }: ChangeManyProps) => {
  const messages = useMessages()
  const { controls } = messages
  const words = useBulkWords()
  const { locale } = useWords()
  const { client } = useStore()
  const toast = useToast()
  const job = useBulkJob<Row>('order', 'orders')
  const [change, setChange] = useState<Change>('paid')
  const [all, setAll] = useState(false)
  const [failed, setFailed] = useState<readonly Failure<Row>[]>([])
  const [error, setError] = useState<unknown>()
  const whole = useMatching(matching, all, client.orders.all, rowOf)
  const number = (value: number) => numberFormat(locale).format(value)
  const rows: readonly Row[] = all ? whole.found : orders
  const affected = rows.filter(CHANGES[change].changes)
  const ready = affected.length > 0 && (!all || whole.complete)
  const busy = job.progress !== undefined

  const takeBack = async (rows: readonly Row[], change: Change) => {
    try {
      const { changed, failed } = await job.run(rows, ({ id }) => ({ id, ...CHANGES[change].undo }))
      if (changed > 0) toast(words.undone(changed))
      if (failed.length > 0) toast(words.failed(failed.length), { bad: true })
    } catch (error) {
      // The second attempt asks after the same job.
      const retry = { label: controls.retry, run: () => void takeBack(rows, change) }
      toast(describeError(error, messages).message, { bad: true, action: retry })
    }
  }
  const run = async () => {
    if (!ready || busy) return
    setError(undefined)
    setFailed([])
    try {
      const { changed, failed } = await job.run(affected, ({ id }) => ({ id, ...CHANGES[change].line }))
      const failures = new Set(failed.map(({ row }) => row))
      const undo = () =>
        void takeBack(
          affected.filter((row) => !failures.has(row)),
          change,
        )
      if (changed > 0) toast(words.done(changed), { action: { label: messages.orders.undo, run: undo } })
      if (failed.length > 0) return setFailed(failed)
      done()
      onClose()
    } catch (error) {
      setError(error)
    }
  }
  return (
    <Dialog
      wide
      title={words.title(all ? matching.total : orders.length)}
      onClose={onClose}
      onSubmit={run}
      footer={
        <>
          {busy ? (
            <Button onClick={job.stop}>{words.stop}</Button>
          ) : (
            <Button onClick={onClose}>{controls.close}</Button>
          )}
          <Button kind="primary" type="submit" busy={busy} disabled={!ready}>
            {words.act(affected.length)}
          </Button>
        </>
      }
    >
      <Problem error={error ?? whole.error} />
      {failed.length > 0 && <Failures failed={failed} />}
      <div className={styles.fields}>
        {matching.total > orders.length && (
          <SelectField
            label={words.scope}
            choices={[
              { value: '', label: words.chosen(number(orders.length)) },
              { value: 'all', label: words.matching(number(matching.total)) },
            ]}
            value={all ? 'all' : ''}
            disabled={busy}
            onChange={({ target }) => setAll(target.value === 'all')}
          />
        )}
        <SelectField
          label={words.what}
          choices={Object.entries(words.changes).map(([value, label]) => ({ value, label }))}
          value={change}
          disabled={busy}
          onChange={({ target }) => {
            setFailed([])
            setChange(target.value as Change)
          }}
        />
      </div>
      {busy ? (
        <div className={styles.progress} role="status">
          <progress value={job.progress?.done ?? 0} max={job.progress?.total || 1} aria-label={words.what} />
          {words.running(number(job.progress?.done ?? 0), number(job.progress?.total ?? 0))} {words.inBackground}
        </div>
      ) : (
        <>
          <p role="status">
            {all && !whole.complete
              ? words.loading(number(whole.found.length), number(matching.total))
              : affected.length === 0
                ? words.nothing
                : words.preview(number(affected.length), number(rows.length))}{' '}
            {affected.length > MAX_PREVIEW && words.first(number(MAX_PREVIEW))}{' '}
            {change === 'paid' && affected.length < rows.length && words.onlyUnpaid}
          </p>
          {affected.length > 0 && <Preview rows={affected} change={change} />}
        </>
      )}
    </Dialog>
  )
}

export default ChangeMany
