import { useVirtualizer } from '@tanstack/react-virtual'
import { type ClipboardEvent, memo, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useToast } from '../../components/Toast.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { CELLS, type Cell, type Draft, type Variant } from './draft.ts'
import { titleOf, valueNames } from './options.ts'
import { parseCells, pasteAt } from './paste.ts'
import { placeOf, useGridKeyboard } from './useGridKeyboard.ts'
import { Fill, VariantBar } from './VariantBar.tsx'
import styles from './VariantGrid.module.css'
import { VariantMedia } from './VariantMedia.tsx'
import { type RowErrors, VariantRow } from './VariantRow.tsx'
import { useProductWords } from './words.ts'

const ROW_HEIGHT = 44
const FILTER_FROM = 10

type Rows = readonly Variant[]

interface GridProps {
  part: Pick<Draft, 'options' | 'variants' | 'images' | 'is_digital'>
  /** Gets a function of the newest rows: what is shown may be behind what was typed. */
  onChange: (change: (rows: Rows) => Rows) => void
  /** The same for what is typed, when there is time. */
  onType: (change: (rows: Rows) => Rows) => void
  errors: ReadonlyMap<string, RowErrors>
  disabled: boolean
}

const withChanges = (rows: Rows, key: string, changes: Partial<Variant>) =>
  rows.map((row) => (row.key === key ? { ...row, ...changes } : row))

/** The rows that match the search, with their titles. */
const useShownRows = ({ options, variants }: GridProps['part'], wanted: string) => {
  const names = useMemo(() => valueNames(options), [options])
  return useMemo(() => {
    const rows = variants.map((variant) => ({ variant, title: titleOf(names, variant) }))
    if (wanted === '') return rows
    return rows.filter(({ variant, title }) => `${title} ${variant.sku}`.toLowerCase().includes(wanted))
  }, [variants, names, wanted])
}

const Space = ({ height }: { height: number }) =>
  height > 0 && (
    <tr aria-hidden className={styles.space} style={{ blockSize: height }}>
      <td colSpan={CELLS.length + 2} />
    </tr>
  )

const Head = ({ labels }: { labels: Record<Cell, string> }) => {
  const words = useProductWords()
  return (
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
  )
}

interface SheetProps extends Pick<GridProps, 'onChange' | 'onType' | 'errors' | 'disabled'> {
  shown: ReturnType<typeof useShownRows>
  labels: Record<Cell, string>
  isOnlyRow: boolean
  onMedia: (key: string) => void
}

/** The table. Only the rows in sight are drawn, so two thousand are as quick as twenty. */
const Sheet = ({ shown, labels, isOnlyRow, onChange, onType, onMedia, errors, disabled }: SheetProps) => {
  const words = useProductWords()
  const toast = useToast()
  const box = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  })
  const items = virtual.getVirtualItems()
  const press = useGridKeyboard(box, shown.length, (row) => virtual.scrollToIndex(row))
  const setCell = useCallback(
    (key: string, cell: Cell, text: string) => onType((rows) => withChanges(rows, key, { [cell]: text })),
    [onType],
  )
  const remove = useCallback((key: string) => onChange((rows) => rows.filter((row) => row.key !== key)), [onChange])
  const paste = (event: ClipboardEvent) => {
    const at = placeOf(event)
    const texts = parseCells(event.clipboardData.getData('text'))
    if (!at || disabled || (texts.length === 1 && texts[0]?.length === 1)) return
    event.preventDefault()
    const keys = shown.map(({ variant }) => variant.key)
    const { changes, cells, beyond } = pasteAt(texts, at, keys)
    onChange((rows) => rows.map((row) => ({ ...row, ...changes.get(row.key) })))
    toast(beyond ? `${words.pasted(cells)}. ${words.pastedBeyond}` : words.pasted(cells))
  }
  return (
    <section ref={box} className={styles.box} aria-label={words.variants}>
      <table className={styles.grid} aria-rowcount={shown.length + 1} onKeyDown={press} onPaste={paste}>
        <caption className="hidden">{words.variants}</caption>
        <Head labels={labels} />
        <tbody>
          <Space height={items[0]?.start ?? 0} />
          {items.map(({ index }) => {
            const row = shown[index]
            return (
              row && (
                <VariantRow
                  key={row.variant.key}
                  variant={row.variant}
                  title={row.title}
                  place={index}
                  errors={errors.get(row.variant.key)}
                  labels={labels}
                  mediaLabel={words.variantMedia(row.title)}
                  removeLabel={disabled || isOnlyRow ? undefined : words.removeVariant(row.title)}
                  onCell={setCell}
                  onRemove={remove}
                  onMedia={onMedia}
                  disabled={disabled}
                />
              )
            )
          })}
          <Space height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </section>
  )
}

/** A spreadsheet of variants. */
const VariantGrid = memo(({ part, onChange, onType, errors, disabled }: GridProps) => {
  const { variants } = part
  const words = useProductWords()
  const { locale } = useWords()
  const [opened, setOpened] = useState<string>()
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const shown = useShownRows(part, wanted)
  const labels: Record<Cell, string> = useMemo(
    () => ({ sku: words.sku, price: words.price, compare_price: words.comparePrice, quantity: words.quantity }),
    [words],
  )
  const fill = (cell: Cell, text: string) => {
    const keys = new Set(shown.map(({ variant }) => variant.key))
    onChange((rows) => rows.map((row) => (keys.has(row.key) ? { ...row, [cell]: text } : row)))
  }
  const number = (value: number) => numberFormat(locale).format(value)
  const media = variants.find(({ key }) => key === opened)

  return (
    <div className={styles.variants}>
      {variants.length >= FILTER_FROM && (
        <VariantBar
          search={search}
          onSearch={setSearch}
          count={
            wanted ? words.shownOf(number(shown.length), number(variants.length)) : words.variantCount(variants.length)
          }
        >
          {!disabled && <Fill count={shown.length} labels={labels} onFill={fill} />}
        </VariantBar>
      )}
      <Sheet
        shown={shown}
        labels={labels}
        isOnlyRow={variants.length === 1}
        onChange={onChange}
        onType={onType}
        onMedia={setOpened}
        errors={errors}
        disabled={disabled}
      />
      {media && (
        <VariantMedia
          variant={media}
          title={titleOf(valueNames(part.options), media)}
          product={part}
          onChange={(changes) => onChange((rows) => withChanges(rows, media.key, changes))}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  )
})

export default VariantGrid
