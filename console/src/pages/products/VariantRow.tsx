import { ImagePlus, X } from 'lucide-react'
import { memo, useState } from 'react'
import { CELLS, type Cell, type Variant } from './draft.ts'
import styles from './VariantGrid.module.css'

/** Sentences about a row, by cell. */
export type RowErrors = Readonly<Partial<Record<string, readonly string[]>>>

interface CellFieldProps {
  cell: Cell
  label: string
  /** Place of the row among those that are shown. */
  place: number
  text: string
  errors: readonly string[] | undefined
  disabled: boolean
  onText: (text: string) => void
}

/** Shows what is typed at once; the rest of the page follows when there is time. */
const CellField = ({ cell, label, place, text, errors, disabled, onText }: CellFieldProps) => {
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  if (text !== known) {
    setKnown(text)
    setTyped(text)
  }
  return (
    <input
      data-row={place}
      data-cell={cell}
      aria-label={label}
      aria-invalid={errors ? true : undefined}
      title={errors?.join(', ')}
      dir="ltr"
      inputMode={cell === 'sku' ? 'text' : 'decimal'}
      maxLength={255}
      value={typed}
      disabled={disabled}
      onChange={({ target }) => {
        setTyped(target.value)
        onText(target.value)
      }}
    />
  )
}

interface VariantRowProps {
  variant: Variant
  title: string
  /** Place among the rows that are shown. */
  place: number
  errors: RowErrors | undefined
  labels: Record<Cell, string>
  mediaLabel: string
  removeLabel: string | undefined
  onCell: (key: string, cell: Cell, text: string) => void
  onRemove: (key: string) => void
  onMedia: (key: string) => void
  disabled: boolean
}

export const VariantRow = memo((props: VariantRowProps) => {
  const { variant, title, place, errors, labels, mediaLabel, removeLabel, onCell, onRemove, onMedia, disabled } = props
  return (
    <tr aria-rowindex={place + 2} className={styles.row}>
      <th scope="row">
        <div>
          <button
            type="button"
            className={styles.media}
            aria-label={mediaLabel}
            disabled={disabled}
            onClick={() => onMedia(variant.key)}
          >
            {variant.image ? <img src={variant.image.src} alt="" loading="lazy" /> : <ImagePlus />}
          </button>
          <span dir="auto" title={title}>
            {title}
          </span>
        </div>
      </th>
      {CELLS.map((cell) => (
        <td key={cell}>
          <CellField
            cell={cell}
            label={`${labels[cell]}: ${title}`}
            place={place}
            text={variant[cell]}
            errors={errors?.[cell]}
            disabled={disabled}
            onText={(text) => onCell(variant.key, cell, text)}
          />
        </td>
      ))}
      <td>
        {removeLabel && (
          <button type="button" aria-label={removeLabel} onClick={() => onRemove(variant.key)}>
            <X />
          </button>
        )}
      </td>
    </tr>
  )
})
