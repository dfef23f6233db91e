import { Ltr } from '../../components/Ltr.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './LineChooser.module.css'
import { type Line, optionText } from './labels.ts'
import { useOrderWords } from './words.ts'

export type Chosen = Readonly<Record<string, number>>

/** Lines with the number of units chosen of each. */
export const LineChooser = ({
  lines,
  most,
  chosen,
  onChange,
}: {
  lines: readonly Line[]
  /** Units of a line that may be chosen. */
  most: (line: Line) => number
  chosen: Chosen
  onChange: (chosen: Chosen) => void
}) => {
  const words = useOrderWords()
  const { controls } = useMessages()
  const open = lines.filter((line) => most(line) > 0 || chosen[line.id])
  if (open.length === 0) return <p className={styles.none}>{words.nothingLeft}</p>
  return (
    <ul className={styles.lines}>
      {open.map((line) => (
        <li key={line.id}>
          <div>
            <span dir="auto">{line.title}</span>
            <small>
              <bdi>{optionText(line)}</bdi> {line.sku && <Ltr>{line.sku}</Ltr>}
            </small>
          </div>
          <label>
            <span className="hidden">{controls.labelled(words.quantity, line.title)}</span>
            <input
              type="number"
              min={0}
              max={most(line)}
              disabled={most(line) === 0}
              value={chosen[line.id] ?? 0}
              onChange={({ target }) =>
                onChange({
                  ...chosen,
                  [line.id]: Math.max(0, Math.min(most(line), Math.floor(Number(target.value)) || 0)),
                })
              }
            />
          </label>
          <span className={styles.of}>{words.quantityOf(String(chosen[line.id] ?? 0), String(most(line)))}</span>
        </li>
      ))}
    </ul>
  )
}

/** As the API takes them. */
export const chosenLines = (chosen: Chosen) =>
  Object.entries(chosen).flatMap(([order_variant_id, quantity]) =>
    quantity > 0 ? [{ order_variant_id, quantity }] : [],
  )
