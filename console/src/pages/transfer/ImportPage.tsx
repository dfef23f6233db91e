import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, FileUp } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { CsvFormat, CsvResource } from '../../../../src/resources/bulk/csv/read.ts'
import { CSV_FORMATS } from '../../../../src/resources/bulk/csv/read.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { useCsvWords } from '../../components/csv-words.ts'
import { download } from '../../components/download.ts'
import { SelectField } from '../../components/Field.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { reading } from '../../components/read-text.ts'
import { DropZone } from '../../components/Uploads.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useCreate } from '../../components/useCreate.ts'
import { useUnsaved } from '../../components/useUnsaved.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { useCustomersTitle } from '../customers/title.ts'
import { useProductsTitle } from '../products/title.ts'
import { Columns } from './Columns.tsx'
import { Counts, Failures, Progress, useJob } from './Job.tsx'
import { Preview } from './Preview.tsx'
import { MAX_BYTES, meaningsOf, type OpenedFile, openFile, type ReadFile, readFile } from './read-file.ts'
import { resultFile } from './results.ts'
import styles from './Transfer.module.css'
import { useTransferWords } from './words.ts'

type Match = 'slug' | 'sku' | 'email' | 'none'

const MATCHES: Record<CsvResource, readonly Match[]> = { product: ['slug', 'sku', 'none'], customer: ['email', 'none'] }
const CODES: Record<string, readonly string[]> = { slug: ['slug', 'handle', 'url handle'] }

/** Products that the file names by slug are recognized by it, others by SKU. */
const usualMatch = (resource: CsvResource, columns: readonly (string | undefined)[]): Match => {
  if (resource === 'customer') return 'email'
  return columns.some((column) => column && CODES.slug?.includes(column)) ? 'slug' : 'sku'
}

interface Chosen {
  opened: OpenedFile
  format: CsvFormat
  match: Match
  columns: readonly (string | undefined)[]
}

interface Start {
  ndjson: string
  resource: CsvResource
  match: Match
  dryRun: boolean
}

const startJob = (client: Client) => (start: Start, options: { idempotencyKey: string }) => {
  const { ndjson, resource, match, dryRun } = start
  const mode = match === 'none' ? ({ mode: 'create' } as const) : ({ mode: 'upsert', match } as const)
  return client.bulk.create([ndjson], { resource, ...mode }, { ...options, dryRun })
}

const useRenew = (resource: CsvResource) => {
  const { store } = useStore()
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: [store.id, resource === 'product' ? 'products' : 'customers'] })
}

/** Imports that this page or another caller has started: one that runs is found again after the page was closed. */
const Recent = ({ resource }: { resource: CsvResource }) => {
  const words = useTransferWords()
  const { store, client } = useStore()
  const { data } = useQuery({
    queryKey: [store.id, 'bulk', 'recent', resource],
    queryFn: ({ signal }) => client.bulk.list({ resource, page_size: 20 }, { signal }),
    refetchInterval: 5_000,
  })
  const jobs = data?.jobs.filter((job) => !job.dry_run).slice(0, 5) ?? []
  if (!data) return null
  return (
    <Surface padded>
      <h2>{words.recent}</h2>
      <p className={styles.help}>{jobs.length > 0 ? words.recentHelp : words.noRecent}</p>
      {jobs.length > 0 && (
        <ul className={styles.recent}>
          {jobs.map((job) => (
            <li key={job.id}>
              <Link href={`/s/${store.id}/import?resource=${resource}&job=${job.id}`}>
                <When at={job.created_at} zone={store.time_zone} />
                <span>{words.rows(job.counts.lines)}</span>
                <Badge tone={job.status === 'done' ? 'good' : job.status === 'failed' ? 'bad' : 'plain'}>
                  {words.statuses[job.status]}
                </Badge>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Surface>
  )
}

/** An import that was started: it goes on without the page. */
const Running = ({ id, resource }: { id: string; resource: CsvResource }) => {
  const words = useTransferWords()
  const messages = useMessages()
  const { store, client } = useStore()
  const { change } = useAddress()
  const renew = useRenew(resource)
  const { job, error, results, hasEnded } = useJob(id)
  const [problem, setProblem] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has ended.
  useEffect(() => {
    if (hasEnded) renew()
  }, [hasEnded])
  if (!job || !hasEnded)
    return (
      <Surface padded>
        <Progress job={job} error={error} />
      </Surface>
    )
  const title = job.status === 'done' ? words.done : job.status === 'cancelled' ? words.stopped : words.broken
  return (
    <Surface padded>
      <h2 role="status">{title}</h2>
      <Counts job={job} />
      <Problem error={error ?? problem ?? (job.error ? new Error(job.error) : undefined)} />
      <div className={styles.row}>
        <Link className={styles.link} href={`/s/${store.id}/${resource}s?order_by=updated_at&order_direction=DESC`}>
          {words.open[resource]}
        </Link>
        <Button
          icon={<Download />}
          onClick={() =>
            resultFile(client, id, words, messages)
              .then((file) => download(file, `import-${job.created_at.slice(0, 10)}.csv`))
              .catch(setProblem)
          }
        >
          {words.download}
        </Button>
        <Button icon={<FileUp />} onClick={() => change({ job: undefined })}>
          {words.again}
        </Button>
      </div>
      {results && <Failures failed={results.failed} />}
    </Surface>
  )
}

const problemWith = ({ columns, opened }: Chosen, words: ReturnType<typeof useTransferWords>) => {
  if (opened.isEmpty) return words.empty
  const named = columns.filter((column) => column !== undefined)
  if (named.length === 0) return words.noColumns
  return new Set(named).size < named.length ? words.twice : undefined
}

/** A file is chosen, its columns are checked, then what it would change, and then it is imported. */
const Preparation = ({ resource }: { resource: CsvResource }) => {
  const words = useTransferWords()
  const csvWords = useCsvWords()
  const { client } = useStore()
  const { change } = useAddress()
  const [chosen, setChosen] = useState<Chosen>()
  const [read, setRead] = useState<ReadFile>()
  const [checkId, setCheckId] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const check = useCreate(startJob(client))
  const start = useCreate(startJob(client))
  const tried = useJob(checkId)
  const { release } = useUnsaved(() => chosen !== undefined)

  const attempt = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(undefined)
    try {
      await act()
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  const forget = () => {
    if (checkId && !tried.hasEnded) client.bulk.delete(checkId).catch(() => {})
    setCheckId(undefined)
    setRead(undefined)
    setError(undefined)
  }
  const choose = (file: File | undefined) =>
    file &&
    attempt(async () => {
      forget()
      if (file.size > MAX_BYTES) throw new Error(words.tooBig)
      const opened = await reading(file, csvWords, () => openFile(file, resource))
      // A file that was mended: what was chosen by hand stays.
      if (chosen && opened.headers.join('\n') === chosen.opened.headers.join('\n'))
        return setChosen({ ...chosen, opened })
      const columns = meaningsOf(opened.headers, resource, opened.format)
      setChosen({ opened, format: opened.format, columns, match: usualMatch(resource, columns) })
    })
  const set = (changes: Partial<Chosen>) => {
    forget()
    setChosen((chosen) => chosen && { ...chosen, ...changes })
  }
  const tryOut = () =>
    chosen &&
    attempt(async () => {
      const found = await reading(chosen.opened.file, csvWords, () => readFile(chosen.opened, { resource, ...chosen }))
      if (found.lines.size === 0) throw new Error(words.empty)
      const { id } = await check({ ndjson: found.ndjson, resource, match: chosen.match, dryRun: true })
      setRead(found)
      setCheckId(id)
    })
  const run = () =>
    chosen &&
    read &&
    attempt(async () => {
      const { id } = await start({ ndjson: read.ndjson, resource, match: chosen.match, dryRun: false })
      release()
      change({ job: id })
    })

  const wrong = chosen && problemWith(chosen, words)
  const count = tried.job ? tried.job.counts.created + tried.job.counts.updated : 0
  return (
    <Surface padded>
      <div className={styles.fields}>
        <SelectField
          label={words.what}
          choices={Object.entries(words.resources).map(([value, label]) => ({ value, label }))}
          value={resource}
          onChange={({ target }) => {
            forget()
            setChosen(undefined)
            change({ resource: target.value }, { replace: true })
          }}
        />
        {chosen && (
          <>
            <SelectField
              label={words.format}
              choices={CSV_FORMATS.map((value) => ({ value, label: words.formats[value] }))}
              value={chosen.format}
              onChange={({ target }) => {
                const format = target.value as CsvFormat
                set({ format, columns: meaningsOf(chosen.opened.headers, resource, format) })
              }}
            />
            <SelectField
              label={words.match}
              choices={MATCHES[resource].map((value) => ({ value, label: words.matches[value] }))}
              value={chosen.match}
              onChange={({ target }) => set({ match: target.value as Match })}
            />
          </>
        )}
      </div>
      <DropZone
        accept=".csv,text/csv,text/tab-separated-values"
        hint={words.drop}
        choose={chosen ? words.otherFile : words.choose}
        help={words.dropHelp}
        onFiles={([file]) => choose(file)}
      >
        {chosen && (
          <strong>
            <bdi>{chosen.opened.file.name}</bdi>
          </strong>
        )}
      </DropZone>
      {chosen && !checkId && <Columns {...chosen} resource={resource} onChange={(columns) => set({ columns })} />}
      {wrong && (
        <p role="alert" className={styles.wrong}>
          {wrong}
        </p>
      )}
      <Problem error={error} />
      {chosen && !checkId && (
        <div className={styles.row}>
          <Button kind="primary" busy={busy} disabled={wrong !== undefined} onClick={tryOut}>
            {words.check}
          </Button>
        </div>
      )}
      {checkId && !tried.hasEnded && <Progress job={tried.job} error={tried.error} />}
      {checkId && tried.job && tried.hasEnded && (
        <>
          <Counts job={tried.job} />
          <Problem error={tried.error ?? (tried.job.error ? new Error(tried.job.error) : undefined)} />
          {tried.results && read && <Preview resource={resource} taken={tried.results.taken} lines={read.lines} />}
          {tried.results && <Failures failed={tried.results.failed} />}
          {count === 0 && <p>{words.nothingToImport}</p>}
          <div className={styles.row}>
            <Button onClick={forget}>{words.columns}</Button>
            <Button kind="primary" busy={busy} disabled={count === 0} onClick={run}>
              {words.start(count)}
            </Button>
          </div>
        </>
      )}
    </Surface>
  )
}

const ImportPage = () => {
  const words = useTransferWords()
  const { store, can } = useStore()
  const customersTitle = useCustomersTitle()
  const productsTitle = useProductsTitle()
  const { params } = useAddress()
  const wanted = params.get('resource') === 'customer' || !can('product:create') ? 'customer' : 'product'
  const job = params.get('job')
  return (
    <Page
      title={words.import}
      back={
        wanted === 'product'
          ? { href: `/s/${store.id}/products`, label: productsTitle }
          : { href: `/s/${store.id}/customers`, label: customersTitle }
      }
    >
      {job ? <Running key={job} id={job} resource={wanted} /> : <Preparation key={wanted} resource={wanted} />}
      {!job && <Recent resource={wanted} />}
    </Page>
  )
}

export default ImportPage
