import { History } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useRef } from 'react'
import { Link } from 'wouter'
import { latinDigits } from '../../../../src/core/input/parse-number.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useRange } from '../../components/useRange.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from './Inventory.module.css'
import { isWhole } from './levels.ts'
import { useInventoryTitle } from './title.ts'
import type { Row } from './useRows.ts'
import { useInventoryWords } from './words.ts'

interface GridProps {
  rows: readonly Row[]
  given: ReadonlyMap<string, string>
  refused: ReadonlyMap<string, string>
  selected: ReadonlyMap<string, Row>
  /** Index of the row selected by keyboard. */
  current: number | undefined
  onCurrent: (index: number) => void
  canEdit: boolean
  onChange: (texts: readonly (readonly [variant: string, text: string])[]) => void
  onSelect: (rows: readonly Row[], selected: boolean) => void
  onHistory: (row: Row) => void
}

const keyOf = ({ variant }: Row) => variant.id

/** All variants of a page, each with its stock and the difference to be added to it. */
export const Grid = (props: GridProps) => {
  const { rows, given, refused, selected, canEdit, onChange, onSelect } = props
  const words = useInventoryWords()
  const { controls } = useMessages()
  const title = useInventoryTitle()
  const { store } = useStore()
  const toast = useToast()
  const box = useRef<HTMLElement>(null)
  const select = useRange(rows, keyOf, onSelect)
  /** As in a spreadsheet. */
  const move = (event: KeyboardEvent, place: number) => {
    const by = event.key === 'ArrowDown' || event.key === 'Enter' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    box.current?.querySelectorAll<HTMLInputElement>('input[inputmode]')[place + by]?.focus()
  }
  /** A column that is pasted into one difference fills those below it, too. */
  const paste = (event: ClipboardEvent, place: number) => {
    const cells = event.clipboardData.getData('text').trim().split(/\r?\n/)
    if (cells.length < 2) return
    event.preventDefault()
    onChange(
      rows
        .slice(place, place + cells.length)
        .map(({ variant }, n) => [variant.id, latinDigits((cells[n] ?? '').trim())]),
    )
    const beyond = place + cells.length - rows.length
    if (beyond > 0) toast(words.beyond(beyond), { bad: true })
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls by itself.
    <section ref={box} className={styles.grid} tabIndex={0} aria-label={title}>
      <table className={styles.table}>
        <caption className="hidden">{title}</caption>
        <thead>
          <tr>
            {canEdit && (
              <th scope="col" className={styles.tick}>
                <input
                  type="checkbox"
                  aria-label={controls.selectAll}
                  checked={rows.every(({ variant }) => selected.has(variant.id))}
                  onChange={({ target }) => onSelect(rows, target.checked)}
                />
              </th>
            )}
            <th scope="col" className={styles.name}>
              {words.variant}
            </th>
            <th scope="col" className={styles.level}>
              {words.stock}
            </th>
            {canEdit && (
              <th scope="col" className={styles.difference}>
                {words.difference}
              </th>
            )}
            <th scope="col" className={styles.past}>
              {words.history}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => {
            const { product, variant, name } = row
            const text = given.get(variant.id) ?? ''
            const problem =
              refused.get(variant.id) ?? (text.trim() !== '' && !isWhole(text) ? words.notNumber : undefined)
            return (
              <tr
                key={variant.id}
                data-low={variant.quantity <= 0 || undefined}
                data-current={place === props.current || undefined}
              >
                {canEdit && (
                  <td className={styles.tick}>
                    <input
                      type="checkbox"
                      aria-label={controls.selectRow(name)}
                      checked={selected.has(variant.id)}
                      onChange={({ target, nativeEvent }) =>
                        select(place, target.checked, (nativeEvent as MouseEvent).shiftKey === true)
                      }
                    />
                  </td>
                )}
                <th scope="row" className={styles.name}>
                  <Link
                    href={`/s/${store.id}/products/${product.id}`}
                    data-row={place}
                    onFocus={() => props.onCurrent(place)}
                  >
                    <bdi>{name}</bdi>
                  </Link>
                  {variant.sku && (
                    <small>
                      <Ltr>{variant.sku}</Ltr>
                    </small>
                  )}
                </th>
                <td className={styles.level}>
                  {variant.quantity}
                  {isWhole(text) && Number(text) !== 0 && (
                    <small>{controls.labelled(words.after, String(variant.quantity + Number(text)))}</small>
                  )}
                </td>
                {canEdit && (
                  <td className={styles.difference}>
                    <TextField
                      label={words.differenceOf(name)}
                      hideLabel
                      dir="ltr"
                      inputMode="numeric"
                      placeholder="0"
                      value={text}
                      errors={problem === undefined ? undefined : [problem]}
                      onChange={({ target }) => onChange([[variant.id, latinDigits(target.value)]])}
                      onKeyDown={(event) => move(event, place)}
                      onPaste={(event) => paste(event, place)}
                    />
                  </td>
                )}
                <td className={styles.past}>
                  <Button
                    kind="quiet"
                    icon={<History />}
                    aria-label={words.openHistory(name)}
                    onClick={() => props.onHistory(row)}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
