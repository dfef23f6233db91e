import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { CSV_FORMATS, type CsvFormat, type CsvResource } from '../../../../src/resources/bulk/csv/read.ts'
import { customerWriter, productWriter } from '../../../../src/resources/bulk/csv/write.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
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
  onClose,
}: {
  resource: CsvResource
  query: Readonly<Record<string, unknown>>
  onClose: () => void
}) => {
  const words = useTransferWords()
  const { controls } = useMessages()
  const { locale } = useWords()
  const { client } = useStore()
  const toast = useToast()
  const [format, setFormat] = useState<CsvFormat>('own')
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
    if (resource === 'product') {
      const { header, rows } = productWriter(format)
      parts.push(header)
      const { pagination } = await client.products.list({ ...given, page_size: 1 }, { signal })
      for await (const row of client.products.all(given, { signal })) add(rows(row), pagination.total ?? 0)
    } else {
      const { header, rows } = customerWriter(format)
      parts.push(header)
      const { pagination } = await client.customers.list({ ...given, page_size: 1 }, { signal })
      for await (const row of client.customers.all(given, { signal })) add(rows(row), pagination.total ?? 0)
    }
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
