import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BulkJob } from '../../../../client/src/index.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Problem } from '../../components/Problem.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { type Failed, problemOf, readResults } from './results.ts'
import styles from './Transfer.module.css'
import { useTransferWords } from './words.ts'

const POLL_MS = 700
const MAX_SHOWN = 100

/** A job and, once it has ended, its results. The reads go on while the service restarts. */
export const useJob = (id: string | undefined) => {
  const { store, client } = useStore()
  const job = useQuery({
    queryKey: [store.id, 'bulk', id],
    queryFn: ({ signal }) => client.bulk.get(id as string, { signal }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.finished_at ? false : POLL_MS),
  })
  const hasEnded = job.data !== undefined && job.data.finished_at !== null
  const results = useQuery({
    queryKey: [store.id, 'bulk', id, 'results'],
    queryFn: ({ signal }) => readResults(client, id as string, signal),
    enabled: hasEnded,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return { job: job.data, error: job.error ?? results.error ?? undefined, results: results.data, hasEnded }
}

export const Progress = ({ job, error }: { job: BulkJob | undefined; error: unknown }) => {
  const words = useTransferWords()
  const { locale } = useWords()
  const { client } = useStore()
  const [stopping, setStopping] = useState(false)
  const number = (value: number) => numberFormat(locale).format(value)
  const { done, lines } = job?.counts ?? { done: 0, lines: 0 }
  const about = job?.dry_run === false ? words.running : words.checking
  return (
    <div className={styles.part}>
      <div role="status">{job?.status === 'waiting' && done === 0 ? words.waiting : about}</div>
      <progress className={styles.progress} value={done} max={lines || 1} aria-label={about} />
      <div className={styles.row}>
        <span>{job && words.progress(number(done), number(lines))}</span>
        {job && <Button onClick={() => setStopping(true)}>{words.stop}</Button>}
      </div>
      <Problem error={error} />
      {stopping && job && (
        <Confirm
          title={words.stopAsk}
          act={words.stop}
          danger
          onConfirm={() => client.bulk.delete(job.id)}
          onClose={() => setStopping(false)}
        >
          {words.stopHelp}
        </Confirm>
      )}
    </div>
  )
}

export const Counts = ({ job }: { job: BulkJob }) => {
  const words = useTransferWords()
  const { created, updated, failed } = job.counts
  return (
    <ul className={styles.counts}>
      {created > 0 && <li data-tone="good">{words.created(created)}</li>}
      {updated > 0 && <li>{words.updated(updated)}</li>}
      {failed > 0 && <li data-tone="bad">{words.failed(failed)}</li>}
    </ul>
  )
}

export const Failures = ({ failed }: { failed: readonly Failed[] }) => {
  const words = useTransferWords()
  const messages = useMessages()
  if (failed.length === 0) return null
  return (
    <section className={styles.part} aria-label={words.problems}>
      <h2>{words.problems}</h2>
      <p className={styles.help}>{words.problemsHelp}</p>
      <ul className={styles.problems}>
        {failed.slice(0, MAX_SHOWN).map((line) => (
          <li key={line.line}>
            <strong>{words.rowNumber(String(line.line))}</strong> <span>{problemOf(line, words, messages)}</span>
          </li>
        ))}
      </ul>
      {failed.length > MAX_SHOWN && <p className={styles.help}>{words.more(failed.length - MAX_SHOWN)}</p>}
    </section>
  )
}
