import { CircleAlert, Upload as UploadIcon, X } from 'lucide-react'
import { type DragEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { numberFormat } from '../messages/formats.ts'
import { useMessages, useWords } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { describeError } from './describe-error.ts'
import styles from './Uploads.module.css'

interface Progress {
  sent: number
  total: number | undefined
}

export interface Upload {
  id: string
  file: File
  /** From 0 to 1. */
  progress: number
  problem?: string
}

/** What the page shows as not uploaded yet, by id. Each says whether the file arrived. */
const shown = new Map<string, Promise<boolean>>()

export const isUploading = () => shown.size > 0

/** Waits for what is being uploaded. Whether all of it has arrived. */
export const uploadsArrive = async () => (await Promise.all(shown.values())).every(Boolean)

/** Uploads files one after the other. Failed ones stay in the list, to be retried or removed. */
export const useUploads = <T,>(
  /** The key is the same for every attempt: a file whose reply was lost is not stored twice. */
  send: (file: File, options: { onProgress: (progress: Progress) => void; idempotencyKey: string }) => Promise<T>,
  onDone: (result: T) => void,
) => {
  const messages = useMessages()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  const current = useRef({ send, onDone })
  current.current = { send, onDone }
  const change = (id: string, changes: Partial<Upload>) =>
    setUploads((uploads) => uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)))
  const remove = (id: string) => {
    shown.delete(id)
    setUploads((uploads) => uploads.filter((upload) => upload.id !== id))
  }
  const own = useRef(new Set<string>())
  useEffect(
    () => () => {
      for (const id of own.current) shown.delete(id)
    },
    [],
  )
  const run = async ({ id, file }: Upload) => {
    try {
      const result = await current.current.send(file, {
        onProgress: ({ sent, total = file.size }) =>
          change(id, { progress: total > 0 ? Math.min(1, sent / total) : 0 }),
        idempotencyKey: id,
      })
      remove(id)
      current.current.onDone(result)
      return true
    } catch (error) {
      const { message, fields } = describeError(error, messages)
      change(id, { problem: Object.values(fields).flat().join(', ') || message })
      return false
    }
  }
  const enqueue = (upload: Upload) => {
    const arrival = queue.current.then(() => run(upload))
    queue.current = arrival
    own.current.add(upload.id)
    shown.set(upload.id, arrival)
  }
  return {
    uploads,
    add: (files: Iterable<File>) => {
      const added = [...files].map((file): Upload => ({ id: crypto.randomUUID(), file, progress: 0 }))
      setUploads((uploads) => [...uploads, ...added])
      for (const upload of added) enqueue(upload)
    },
    retry: (upload: Upload) => {
      const again: Upload = { id: upload.id, file: upload.file, progress: 0 }
      setUploads((uploads) => uploads.map((other) => (other.id === again.id ? again : other)))
      enqueue(again)
    },
    remove,
  }
}

export const UploadList = ({
  uploads,
  onRetry,
  onRemove,
}: {
  uploads: readonly Upload[]
  onRetry: (upload: Upload) => void
  onRemove: (id: string) => void
}) => {
  const { controls } = useMessages()
  const { locale } = useWords()
  const percent = numberFormat(locale, { style: 'percent' })
  if (uploads.length === 0) return null
  return (
    <ul className={styles.list} aria-live="polite">
      {uploads.map((upload) => (
        <li key={upload.id}>
          <span className={styles.name} dir="auto">
            {upload.file.name}
          </span>
          {upload.problem === undefined ? (
            <>
              <progress value={upload.progress} max={1} aria-label={upload.file.name} />
              <span className={styles.percent}>{percent.format(upload.progress)}</span>
            </>
          ) : (
            <>
              <span className={styles.problem}>
                <CircleAlert aria-hidden /> {upload.problem}
              </span>
              <Button onClick={() => onRetry(upload)}>{controls.retry}</Button>
              <Button kind="quiet" icon={<X />} aria-label={controls.discard} onClick={() => onRemove(upload.id)} />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')

/** A place to drop files on, with a button for those who do not drag. */
export const DropZone = ({
  accept,
  hint,
  choose,
  help,
  onFiles,
  children,
}: {
  /** MIME types, as in `<input accept>`. */
  accept?: string
  /** «Drop files here, or» */
  hint: string
  /** «choose files» */
  choose: string
  help?: string
  onFiles: (files: readonly File[]) => void
  /** Shown inside the zone, above the hint. */
  children?: ReactNode
}) => {
  const [over, setOver] = useState(false)
  const id = useId()
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the field below is the first.
    <div
      className={styles.zone}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
      <div className={styles.hint}>
        <UploadIcon aria-hidden />
        <p>
          {hint} <label htmlFor={id}>{choose}</label>
        </p>
        {help && <p id={`${id}-help`}>{help}</p>}
        <input
          id={id}
          type="file"
          className="hidden"
          multiple
          accept={accept}
          aria-describedby={help && `${id}-help`}
          onChange={({ target }) => {
            onFiles([...(target.files ?? [])])
            target.value = ''
          }}
        />
      </div>
    </div>
  )
}
