import { Plus, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { useEditWords } from './edit-words.ts'
import { numberOf } from './line-totals.ts'
import styles from './OrderForm.module.css'
import { type Found, type Stock, VariantFinder } from './VariantFinder.tsx'

type FieldProps = Omit<Parameters<typeof TextField>[0], 'label'>

export interface EditedLine {
  key: string
  title: string
  detail: string
  sku: string | null
  image: string | null
  quantity: FieldProps & { value: string }
  price: FieldProps & { value: string }
  /** Units that the line has already taken from stock. */
  held: number
  stock: Stock | undefined
  /** Taken out when it is saved, unless it is kept after all. */
  isTakenOut?: boolean
}

/** What becomes of the stock. */
const StockHint = ({ line }: { line: EditedLine }) => {
  const words = useEditWords()
  const { locale } = useWords()
  const units = line.stock?.units
  if (units === undefined) return null
  const write = (value: number) => numberFormat(locale).format(value)
  const after = units + line.held - (line.isTakenOut ? 0 : (numberOf(line.quantity.value) ?? 0))
  if (after >= 0) return <span>{words.stockAfter(write(after))}</span>
  if (line.stock?.mayOversell) return <span>{words.oversold}</span>
  return <strong className={styles.bad}>{words.tooFew(write(Math.max(0, units + line.held)))}</strong>
}

/** The items of an order with quantity and price, and a finder that adds more. */
export const LineEditor = ({
  lines,
  currency,
  onAdd,
  onRemove,
  onKeep,
}: {
  lines: readonly EditedLine[]
  currency: string
  onAdd: (found: Found) => void
  onRemove: (key: string) => void
  onKeep?: (key: string) => void
}) => {
  const words = useEditWords()
  const [isFinding, setFinding] = useState(false)
  return (
    <>
      <ul className={styles.lines}>
        {lines.map((line) => {
          const name = line.detail ? `${line.title} · ${line.detail}` : line.title
          return (
            <li key={line.key} data-out={line.isTakenOut || undefined}>
              {line.image ? <img src={line.image} alt="" /> : <span className={styles.noImage} />}
              <div className={styles.what}>
                <bdi>{line.title}</bdi>
                <small>
                  {line.detail && <bdi>{line.detail}</bdi>} {line.sku && <Ltr>{line.sku}</Ltr>}
                </small>
                <small role="status">
                  {line.isTakenOut && `${words.takenOut} · `}
                  <StockHint line={line} />
                </small>
              </div>
              {line.isTakenOut ? (
                <Button icon={<Undo2 />} onClick={() => onKeep?.(line.key)}>
                  {words.putBack}
                </Button>
              ) : (
                <>
                  <TextField
                    label={words.linesOf(name)}
                    hideLabel
                    placeholder={words.quantity}
                    inputMode="numeric"
                    dir="ltr"
                    maxLength={9}
                    {...line.quantity}
                  />
                  <TextField
                    label={words.priceOf(name)}
                    hideLabel
                    placeholder={words.price}
                    inputMode="decimal"
                    dir="ltr"
                    maxLength={20}
                    {...line.price}
                  />
                  <Button
                    kind="quiet"
                    icon={<Trash2 />}
                    aria-label={words.takeOut(name)}
                    onClick={() => onRemove(line.key)}
                  />
                </>
              )}
            </li>
          )
        })}
      </ul>
      <div>
        <Button icon={<Plus />} onClick={() => setFinding(true)}>
          {words.addItem}
        </Button>
      </div>
      {isFinding && (
        <VariantFinder
          currency={currency}
          onClose={() => setFinding(false)}
          onChoose={(found) => {
            setFinding(false)
            onAdd(found)
          }}
        />
      )}
    </>
  )
}
