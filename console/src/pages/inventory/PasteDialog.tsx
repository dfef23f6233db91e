import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { AreaField, SelectField, TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useUnsaved } from '../../components/useUnsaved.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from './Inventory.module.css'
import { isApplied, type Level, MAX_LINES, parseStock, refusalOf, type StockLine } from './levels.ts'
import { useStock } from './useStock.ts'
import { useInventoryWords } from './words.ts'

type Mode = 'delta' | 'quantity'

const Levels = ({ levels, lines }: { levels: readonly Level[]; lines: readonly StockLine[] }) => {
  const words = useInventoryWords()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls by itself.
    <section className={styles.box} tabIndex={0} aria-label={words.preview}>
      <table className={styles.table}>
        <caption className="hidden">{words.preview}</caption>
        <thead>
          <tr>
            <th scope="col">SKU</th>
            <th scope="col">{words.before}</th>
            <th scope="col">{words.after}</th>
          </tr>
        </thead>
        <tbody>
          {levels.map((level, place) => {
            const refusal = refusalOf(level, words)
            return (
              <tr key={lines[place]?.sku} data-bad={refusal !== undefined || undefined}>
                <th scope="row">
                  <Ltr>{lines[place]?.sku}</Ltr>
                </th>
                <td>{level.previous_quantity ?? '–'}</td>
                <td>{refusal ?? level.quantity}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Stock of many variants by SKU: what each would be, then all at once. */
const PasteDialog = ({ onClose }: { onClose: () => void }) => {
  const words = useInventoryWords()
  const { controls } = useMessages()
  const { client } = useStore()
  const [text, setText] = useState('')
  const [mode, setMode] = useState<Mode>('delta')
  const [reason, setReason] = useState('')
  const [levels, setLevels] = useState<readonly Level[]>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const { apply } = useStock()
  const { release } = useUnsaved(() => text.trim() !== '')
  const { lines: parsed, bad } = parseStock(text, mode)
  const lines = reason.trim() ? parsed.map((line) => ({ ...line, reason: reason.trim() })) : parsed
  const problem =
    bad[0] !== undefined ? words.badLine(String(bad[0])) : lines.length > MAX_LINES ? words.tooMany : undefined
  const possible = levels?.filter(isApplied).length ?? 0
  const change = (act: () => void) => {
    act()
    setLevels(undefined)
    setError(undefined)
  }
  /** What was possible in the preview and was refused now stays, alone: the others must not be added twice. */
  const applyAll = async (shown: readonly Level[]) => {
    const left: { line: StockLine; level: Level }[] = []
    await apply(lines, (part, found) => {
      for (const [place, level] of found.entries())
        if (!isApplied(level)) left.push({ line: part[place] as StockLine, level })
    })
    const known = new Set(lines.filter((_, place) => !isApplied(shown[place] as Level)).map(({ sku }) => sku))
    const changed = left.filter(({ line }) => !known.has(line.sku))
    if (changed.length > 0) {
      setText(changed.map(({ line }) => `${line.sku}\t${line[mode]}`).join('\n'))
      setLevels(changed.map(({ level }) => level))
      setError(new Error(words.refused(changed.length)))
    }
    return changed
  }
  const submit = async () => {
    if (busy || problem || lines.length === 0) return
    setBusy(true)
    setError(undefined)
    try {
      if (levels) {
        const left = await applyAll(levels)
        if (left.length > 0) return
        release()
        onClose()
      } else setLevels(await client.stock.update({ stock: lines }, {}, { dryRun: true }))
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      wide
      title={words.pasteTitle}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            busy={busy}
            disabled={lines.length === 0 || problem !== undefined || (levels !== undefined && possible === 0)}
          >
            {levels ? words.apply(possible) : words.preview}
          </Button>
        </>
      }
    >
      <SelectField
        label={words.mode}
        choices={Object.entries(words.modes).map(([value, label]) => ({ value, label }))}
        value={mode}
        onChange={({ target }) => change(() => setMode(target.value as Mode))}
      />
      <AreaField
        label={words.pasteLabel}
        help={words.pasteHelp}
        dir="ltr"
        rows={8}
        errors={problem === undefined ? undefined : [problem]}
        value={text}
        onChange={({ target }) => change(() => setText(target.value))}
      />
      <TextField
        label={words.reason}
        help={words.reasonHelp}
        maxLength={255}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <Problem error={error} />
      {levels && <Levels levels={levels} lines={lines} />}
    </Dialog>
  )
}

export default PasteDialog
