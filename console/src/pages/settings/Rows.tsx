import { Pencil, Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './SettingsPage.module.css'
import { useSettingsWords } from './words.ts'

interface RowsProps<Row> {
  title: string
  /** «New carrier», and what to do then; omitted without the permission. */
  add?: { label: string; onAdd: () => void } | undefined
  rows: readonly Row[] | undefined
  error: unknown
  keyOf: (row: Row) => string
  nameOf: (row: Row) => string
  /** What a row shows: a line, and smaller text below. */
  show: (row: Row) => ReactNode
  onEdit?: ((row: Row) => void) | undefined
  /** Undefined for a row that cannot be deleted. */
  onDelete?: ((row: Row) => (() => void) | undefined) | undefined
  empty: { title: string; help: string }
}

/** A short list whose rows are edited in a dialog. */
export const Rows = <Row,>(props: RowsProps<Row>) => {
  const { title, add, rows, error, keyOf, nameOf, show, onEdit, onDelete, empty } = props
  const { controls } = useMessages()
  return (
    <section className={styles.section}>
      <header>
        <h2>{title}</h2>
        {add && (
          <Button icon={<Plus />} onClick={add.onAdd}>
            {add.label}
          </Button>
        )}
      </header>
      <Problem error={error ?? undefined} />
      {!rows && !error && <Skeleton lines={3} />}
      {rows?.length === 0 && <Empty title={empty.title}>{empty.help}</Empty>}
      <ul className={styles.rows}>
        {rows?.map((row) => {
          const remove = onDelete?.(row)
          return (
            <li key={keyOf(row)}>
              <div>{show(row)}</div>
              {onEdit && (
                <Button
                  kind="quiet"
                  icon={<Pencil />}
                  aria-label={`${controls.edit}: ${nameOf(row)}`}
                  onClick={() => onEdit(row)}
                />
              )}
              {remove && (
                <Button
                  kind="quiet"
                  icon={<Trash2 />}
                  aria-label={`${controls.delete}: ${nameOf(row)}`}
                  onClick={remove}
                />
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export const ConfirmDelete = ({
  title,
  help,
  onDelete,
  onClose,
}: {
  title: string
  help: string
  onDelete: () => Promise<unknown>
  onClose: () => void
}) => {
  const words = useSettingsWords()
  return (
    <Confirm title={title} act={words.deleteNow} danger onConfirm={onDelete} onClose={onClose}>
      {help}
    </Confirm>
  )
}
