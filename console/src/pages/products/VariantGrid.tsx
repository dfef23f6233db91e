import { useVirtualizer } from '@tanstack/react-virtual'
import { ImagePlus, Search, X } from 'lucide-react'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  memo,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Button } from '../../components/Button.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { useToast } from '../../components/Toast.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import type { Draft, Variant } from './draft.ts'
import { titleOf, valueNames } from './options.ts'
import { parseCells } from './paste.ts'
import styles from './VariantGrid.module.css'
import { VariantMedia } from './VariantMedia.tsx'
import { CELLS, type Cell } from './variant-changes.ts'

const ROW_HEIGHT = 44
const FILTER_FROM = 10

type RowErrors = ReadonlyMap<string, Readonly<Partial<Record<string, readonly string[]>>>>

interface GridProps {
  part: Pick<Draft, 'options' | 'variants' | 'images' | 'is_digital'>
  onChange: (variants: readonly Variant[]) => void
  errors: RowErrors
  disabled: boolean
}

interface RowProps {
  variant: Variant
  title: string
  /** Place among the rows that are shown. */
  place: number
  errors: Readonly<Partial<Record<string, readonly string[]>>> | undefined
  labels: Record<Cell, string>
  mediaLabel: string
  removeLabel: string | undefined
  onCell: (key: string, cell: Cell, text: string) => void
  onRemove: (key: string) => void
  onMedia: (key: string) => void
  disabled: boolean
}

const Row = memo((props: RowProps) => {
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
          <input
            data-row={place}
            data-cell={cell}
            aria-label={`${labels[cell]}: ${title}`}
            aria-invalid={errors?.[cell] ? true : undefined}
            title={errors?.[cell]?.join(', ')}
            dir="ltr"
            inputMode={cell === 'sku' ? 'text' : 'decimal'}
            maxLength={255}
            value={variant[cell]}
            disabled={disabled}
            onChange={({ target }) => onCell(variant.key, cell, target.value)}
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

/** The same text into a column of all rows that are shown. */
const Fill = ({
  count,
  labels,
  onFill,
}: {
  count: number
  labels: Record<Cell, string>
  onFill: (cell: Cell, text: string) => void
}) => {
  const { products: words } = useMessages()
  const [cell, setCell] = useState<Cell>('price')
  const [text, setText] = useState('')
  return (
    <fieldset className={styles.fill}>
      <legend className="hidden">{words.fill}</legend>
      <SelectField
        label={words.fillColumn}
        hideLabel
        choices={CELLS.map((cell) => ({ value: cell, label: labels[cell] }))}
        value={cell}
        onChange={({ target }) => setCell(target.value as Cell)}
      />
      <TextField
        label={words.fillValue}
        hideLabel
        placeholder={words.fillValue}
        dir="ltr"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button disabled={count === 0} onClick={() => onFill(cell, text)}>
        {words.fillShown(count)}
      </Button>
    </fieldset>
  )
}

/** A spreadsheet of variants. Only the rows in sight are drawn, so two thousand are as quick as twenty. */
const VariantGrid = ({ part, onChange, errors, disabled }: GridProps) => {
  const { options, variants } = part
  const { products: words } = useMessages()
  const { locale } = useWords()
  const toast = useToast()
  const box = useRef<HTMLElement>(null)
  const [opened, setOpened] = useState<string>()
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const names = useMemo(() => valueNames(options), [options])
  const shown = useMemo(() => {
    const rows = variants.map((variant) => ({ variant, title: titleOf(names, variant) }))
    if (wanted === '') return rows
    return rows.filter(({ variant, title }) => `${title} ${variant.sku}`.toLowerCase().includes(wanted))
  }, [variants, names, wanted])
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  })
  const items = virtual.getVirtualItems()
  const [before, after] = [items[0]?.start ?? 0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0)]
  const labels: Record<Cell, string> = useMemo(
    () => ({ sku: words.sku, price: words.price, compare_price: words.comparePrice, quantity: words.quantity }),
    [words],
  )

  // Rows are drawn again only when they change, so what they call must stay the same.
  const current = useRef({ variants, onChange })
  current.current = { variants, onChange }
  const acts = useRef({
    cell: (key: string, cell: Cell, text: string) => acts.current.change(key, { [cell]: text }),
    change: (key: string, changes: Partial<Variant>) => {
      const { variants, onChange } = current.current
      onChange(variants.map((variant) => (variant.key === key ? { ...variant, ...changes } : variant)))
    },
    remove: (key: string) => {
      const { variants, onChange } = current.current
      onChange(variants.filter((variant) => variant.key !== key))
    },
  })

  const place = ({ target }: { target: EventTarget }) => {
    const { row, cell } = (target as HTMLElement).dataset
    return row === undefined ? undefined : { row: Number(row), cell: CELLS.indexOf(cell as Cell) }
  }
  /** Where the keyboard is going, until that row is drawn. */
  const going = useRef<{ row: number; cell: number }>(undefined)
  const focus = (row: number, cell: number) => {
    const input = box.current?.querySelector<HTMLInputElement>(`[data-row="${row}"][data-cell="${CELLS[cell]}"]`)
    going.current = input ? undefined : { row, cell }
    if (!input) return virtual.scrollToIndex(row)
    input.focus()
    input.select()
  }
  useLayoutEffect(() => {
    if (going.current) focus(going.current.row, going.current.cell)
  })
  const press = (event: KeyboardEvent) => {
    const at = going.current ?? place(event)
    const step = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!at || step === undefined) return
    event.preventDefault()
    const row = at.row + step
    if (row >= 0 && row < shown.length) focus(row, at.cell)
  }
  const paste = (event: ClipboardEvent) => {
    const at = place(event)
    const rows = parseCells(event.clipboardData.getData('text'))
    if (!at || disabled || (rows.length === 1 && rows[0]?.length === 1)) return
    event.preventDefault()
    const changes = new Map<string, Partial<Record<Cell, string>>>()
    let cells = 0
    let beyond = false
    for (const [down, texts] of rows.entries()) {
      const key = shown[at.row + down]?.variant.key
      for (const [along, text] of texts.entries()) {
        const cell = CELLS[at.cell + along]
        if (!key || !cell) beyond ||= text !== ''
        else {
          changes.set(key, { ...changes.get(key), [cell]: text })
          cells++
        }
      }
    }
    onChange(variants.map((variant) => ({ ...variant, ...changes.get(variant.key) })))
    toast(beyond ? `${words.pasted(cells)}. ${words.pastedBeyond}` : words.pasted(cells))
  }
  const fill = (cell: Cell, text: string) => {
    const keys = new Set(shown.map(({ variant }) => variant.key))
    onChange(variants.map((variant) => (keys.has(variant.key) ? { ...variant, [cell]: text } : variant)))
  }
  const number = (value: number) => numberFormat(locale).format(value)
  const media = variants.find(({ key }) => key === opened)

  return (
    <div className={styles.variants}>
      {variants.length >= FILTER_FROM && (
        <div className={styles.bar}>
          <label className={styles.search}>
            <Search aria-hidden />
            <span className="hidden">{words.findVariant}</span>
            <input
              type="search"
              placeholder={words.findVariant}
              value={search}
              onChange={({ target }) => setSearch(target.value)}
              onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            />
          </label>
          <span className={styles.count} role="status">
            {wanted
              ? words.shownOf(number(shown.length), number(variants.length))
              : words.variantCount(variants.length)}
          </span>
          {!disabled && <Fill count={shown.length} labels={labels} onFill={fill} />}
        </div>
      )}
      <section ref={box} className={styles.box} aria-label={words.variants}>
        <table className={styles.grid} aria-rowcount={shown.length + 1} onKeyDown={press} onPaste={paste}>
          <caption className="hidden">{words.variants}</caption>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">{words.variant}</th>
              {CELLS.map((cell) => (
                <th key={cell} scope="col">
                  {labels[cell]}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {before > 0 && (
              <tr aria-hidden className={styles.space} style={{ blockSize: before }}>
                <td colSpan={CELLS.length + 2} />
              </tr>
            )}
            {items.map(({ index, key }) => {
              const row = shown[index]
              return (
                row && (
                  <Row
                    key={row.variant.key ?? key}
                    variant={row.variant}
                    title={row.title}
                    place={index}
                    errors={errors.get(row.variant.key)}
                    labels={labels}
                    mediaLabel={words.variantMedia(row.title)}
                    removeLabel={disabled || variants.length === 1 ? undefined : words.removeVariant(row.title)}
                    onCell={acts.current.cell}
                    onRemove={acts.current.remove}
                    onMedia={setOpened}
                    disabled={disabled}
                  />
                )
              )
            })}
            {after > 0 && (
              <tr aria-hidden className={styles.space} style={{ blockSize: after }}>
                <td colSpan={CELLS.length + 2} />
              </tr>
            )}
          </tbody>
        </table>
      </section>
      {media && (
        <VariantMedia
          variant={media}
          title={titleOf(names, media)}
          product={part}
          onChange={(changes) => acts.current.change(media.key, changes)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  )
}

export default VariantGrid
