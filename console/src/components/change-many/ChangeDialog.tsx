import { ArrowRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { Button } from '../Button.tsx'
import { Dialog } from '../Dialog.tsx'
import { describeError } from '../describe-error.ts'
import { SelectField } from '../Field.tsx'
import type { Matching } from '../ListPage.tsx'
import { Problem } from '../Problem.tsx'
import { useToast } from '../Toast.tsx'
import styles from './ManyRows.module.css'
import { type ChangedResource, type Failure, useBulkJob } from './useBulkJob.ts'
import { type ReadAll, useMatching } from './useMatching.ts'
import { useChangeWords } from './words.ts'

const MAX_PREVIEW = 50

/** What happens to each row. Rows without a line stay as they are. */
export interface RowChange<Row> {
  line: (row: Row) => object | undefined
  /** Takes back what the line has changed. */
  undo: (row: Row) => object | undefined
  texts: (row: Row) => readonly [before: string, after: string]
}

export interface ChangeDialogProps<Listed, Row extends { id: string }> {
  resource: ChangedResource
  /** Lists that show these rows. */
  lists: readonly string[]
  chosen: readonly Listed[]
  matching: Matching
  readAll: ReadAll<Listed>
  /** What is kept of each row that is read. */
  pick: (row: Listed) => Row
  nameOf: (row: Row) => ReactNode
  /** Heads the first column. */
  heading: string
  /** Undefined until it can be done. */
  change: RowChange<Row> | undefined
  /** Why these rows cannot be changed so. */
  problemWith?: (rows: readonly Row[]) => string | undefined
  note?: (isPartial: boolean) => ReactNode
  /** What to change. Any of it begins anew. */
  fields: (props: { busy: boolean; begin: () => void }) => ReactNode
  /** Called with those that failed, which stay selected. */
  done: (failed: readonly Row[]) => void
  onClose: () => void
}

interface PreviewProps<Row> extends Pick<ChangeDialogProps<never, Row & { id: string }>, 'nameOf' | 'heading'> {
  rows: readonly (Row & { id: string })[]
  change: RowChange<Row>
}

const Preview = <Row,>({ rows, change, nameOf, heading }: PreviewProps<Row>) => {
  const words = useChangeWords()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls by itself.
    <section className={styles.box} tabIndex={0} aria-label={words.after}>
      <table className={styles.table}>
        <caption className="hidden">{words.after}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">{words.before}</th>
            <th scope="col">{words.after}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_PREVIEW).map((row) => {
            const [before, after] = change.texts(row)
            return (
              <tr key={row.id}>
                <th scope="row">{nameOf(row)}</th>
                <td>
                  <bdi>{before}</bdi>
                </td>
                <td>
                  <ArrowRight className="pointing" aria-hidden /> <bdi>{after}</bdi>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

interface FailuresProps<Row> {
  title: string
  failed: readonly Failure<Row>[]
  nameOf: (row: Row) => ReactNode
}

const Failures = <Row extends { id: string }>({ title, failed, nameOf }: FailuresProps<Row>) => (
  <div role="alert" className={styles.failures}>
    <strong>{title}</strong>
    <ul>
      {failed.slice(0, MAX_PREVIEW).map(({ row, problem }) => (
        <li key={row.id}>
          {nameOf(row)}: {problem}
        </li>
      ))}
    </ul>
  </div>
)

/** Changes the chosen rows, or all that match the filters: how many first, then progress, then what failed. */
export const ChangeDialog = <Listed, Row extends { id: string }>(props: ChangeDialogProps<Listed, Row>) => {
  const { resource, change, matching, chosen, nameOf, pick, onClose } = props
  const messages = useMessages()
  const { controls } = messages
  const words = useChangeWords()
  const texts = words[resource]
  const { locale } = useWords()
  const toast = useToast()
  const job = useBulkJob<Row>(resource, props.lists)
  const [all, setAll] = useState(false)
  const [failed, setFailed] = useState<readonly Failure<Row>[]>([])
  // A second attempt is for those that failed.
  const [changedBefore, setChangedBefore] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<unknown>()
  const whole = useMatching(matching, all, props.readAll, pick)
  const number = (value: number) => numberFormat(locale).format(value)
  const rows = (all ? whole.found : chosen.map(pick)).filter(({ id }) => !changedBefore.has(id))
  const affected = change ? rows.filter((row) => change.line(row) !== undefined) : []
  const problem = change && props.problemWith?.(affected)
  const ready = affected.length > 0 && problem === undefined && (!all || whole.complete)
  const { progress } = job
  const busy = progress !== undefined

  const takeBack = async (rows: readonly Row[], undo: RowChange<Row>['undo']): Promise<void> => {
    try {
      const { changed, failed } = await job.run(rows, undo)
      if (changed > 0) toast(texts.undone(changed))
      if (failed.length > 0) toast(texts.notUndone(failed.length), { bad: true })
    } catch (error) {
      // The second attempt asks after the same job.
      const retry = { label: controls.retry, run: () => takeBack(rows, undo) }
      toast(describeError(error, messages).message, { bad: true, action: retry })
    }
  }
  const run = async () => {
    if (!change || !ready || busy) return
    setError(undefined)
    setFailed([])
    try {
      const { changed, failed } = await job.run(affected, change.line)
      const failures = new Set(failed.map(({ row }) => row.id))
      const undo = () =>
        void takeBack(
          affected.filter(({ id }) => !failures.has(id)),
          change.undo,
        )
      if (changed > 0) toast(texts.done(changed), { action: { label: words.undo, run: undo } })
      props.done(failed.map(({ row }) => row))
      if (failed.length === 0) return onClose()
      setFailed(failed)
      setChangedBefore((before) => new Set([...before, ...affected.flatMap(({ id }) => (failures.has(id) ? [] : id))]))
    } catch (error) {
      setError(error)
    }
  }
  const summary = () => {
    if (all && !whole.complete) return words.loading(number(whole.found.length), number(matching.total))
    if (problem !== undefined) return problem
    if (!change) return ''
    return affected.length === 0 ? words.nothing : words.preview(number(affected.length), number(rows.length))
  }
  return (
    <Dialog
      wide
      title={texts.act(all ? matching.total : chosen.length)}
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
            {texts.act(affected.length)}
          </Button>
        </>
      }
    >
      <Problem error={error ?? whole.error} />
      {failed.length > 0 && <Failures title={texts.failed(failed.length)} failed={failed} nameOf={nameOf} />}
      {matching.total > chosen.length && (
        <SelectField
          label={texts.scope}
          choices={[
            { value: '', label: texts.chosen(number(chosen.length)) },
            { value: 'all', label: texts.matching(number(matching.total)) },
          ]}
          value={all ? 'all' : ''}
          disabled={busy}
          onChange={({ target }) => setAll(target.value === 'all')}
        />
      )}
      {props.fields({ busy, begin: () => setFailed([]) })}
      {progress ? (
        <div className={styles.progress} role="status">
          <progress value={progress.done} max={progress.total || 1} aria-label={texts.act(progress.total)} />
          {words.running(number(progress.done), number(progress.total))} {words.inBackground}
        </div>
      ) : (
        <>
          <p role="status">
            {summary()} {affected.length > MAX_PREVIEW && texts.first(number(MAX_PREVIEW))}{' '}
            {props.note?.(affected.length < rows.length)}
          </p>
          {change && affected.length > 0 && (
            <Preview rows={affected} change={change} nameOf={nameOf} heading={props.heading} />
          )}
        </>
      )}
    </Dialog>
  )
}
