import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { CSV_FORMATS, type CsvFormat, type CsvResource } from '../../../../src/resources/bulk/csv/read.ts'
import { customerWriter, productWriter } from '../../../../src/resources/bulk/csv/write.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { useChangeWords } from '../../components/change-many/words.ts'
import { Dialog } from '../../components/Dialog.tsx'
import { download } from '../../components/download.ts'
import { SelectField } from '../../components/Field.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import styles from './Transfer.module.css'
import { useTransferWords } from './words.ts'

const PAGE_SIZE = 100

/** All rows that match the filters of a list, as CSV. The file is made here, page by page. */
const ExportDialog = ({
  resource,
  query,
  chosen,
  total,
  onClose,
}: {
  resource: CsvResource
  query: Readonly<Record<string, unknown>>
  /** The rows to export, unless all that match are asked for. */
  chosen?: readonly object[]
  /** How many match. */
  total?: number
  onClose: () => void
}) => {
  const words = useTransferWords()
  const scopes = useChangeWords()[resource]
  const { controls } = useMessages()
  const { locale } = useWords()
  const { client } = useStore()
  const toast = useToast()
  const [format, setFormat] = useState<CsvFormat>('own')
  const [isWhole, setWhole] = useState(chosen === undefined)
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const [error, setError] = useState<unknown>()
  const stop = useRef<AbortController>(undefined)
  const number = (value: number) => numberFormat(locale).format(value)

  const write = async (signal: AbortSignal) => {
    const given = { ...query, page_size: PAGE_SIZE }
    const parts = ['\uFEFF']
    let done = 0
    const add = (text: string, total: number) => {
      parts.push(text)
      done++
      if (done % PAGE_SIZE === 0) setProgress({ done, total })
    }
    const pour = async <Row,>(
      { header, rows }: { header: string; rows: (row: Row) => string },
      list: (query: object, options: { signal: AbortSignal }) => Promise<{ pagination: { total: number | null } }>,
      all: (query: object, options: { signal: AbortSignal }) => AsyncIterable<Row>,
    ) => {
      parts.push(header)
      if (chosen && !isWhole) for (const row of chosen) add(rows(row as Row), chosen.length)
      else {
        const { pagination } = await list({ ...given, page_size: 1 }, { signal })
        for await (const row of all(given, { signal })) add(rows(row), pagination.total ?? 0)
      }
    }
    if (resource === 'product') await pour(productWriter(format), client.products.list, client.products.all)
    else await pour(customerWriter(format), client.customers.list, client.customers.all)
    return new Blob(parts, { type: 'text/csv' })
  }
  const run = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    setError(undefined)
    setProgress({ done: 0, total: 0 })
    try {
      const file = await write(signal)
      download(file, `${resource}s-${format}-${new Date().toISOString().slice(0, 10)}.csv`)
      toast(words.exported)
      onClose()
    } catch (error) {
      if (!signal.aborted) setError(error)
    } finally {
      setProgress(undefined)
    }
  }
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  return (
    <Dialog
      title={words.exportTitle[resource]}
      onClose={close}
      onSubmit={run}
      footer={
        <>
          <Button onClick={close}>{controls.cancel}</Button>
          <Button kind="primary" type="submit" icon={<Download />} busy={progress !== undefined}>
            {words.exportAct}
          </Button>
        </>
      }
    >
      {chosen && total !== undefined && total > chosen.length && (
        <SelectField
          label={scopes.scope}
          choices={[
            { value: '', label: scopes.chosen(number(chosen.length)) },
            { value: 'all', label: scopes.matching(number(total)) },
          ]}
          value={isWhole ? 'all' : ''}
          disabled={progress !== undefined}
          onChange={({ target }) => setWhole(target.value === 'all')}
        />
      )}
      <SelectField
        label={words.format}
        help={words.exportHelp}
        choices={CSV_FORMATS.map((value) => ({ value, label: words.formats[value] }))}
        value={format}
        onChange={({ target }) => setFormat(target.value as CsvFormat)}
      />
      {progress && (
        <div role="status" className={styles.part}>
          <progress
            className={styles.progress}
            value={progress.done}
            max={progress.total || 1}
            aria-label={words.exportAct}
          />
          {progress.total > 0 && words.exporting(number(progress.done), number(progress.total))}
        </div>
      )}
      <Problem error={error} />
    </Dialog>
  )
}

export default ExportDialog
