import { Bold, Link, List, ListOrdered } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, useRef } from 'react'
import { Button } from '../../components/Button.tsx'
import { AreaField } from '../../components/Field.tsx'
import { isHtml, marksOfHtml } from './html-text.ts'
import { MarkedText } from './MarkedText.tsx'
import { type Edit, hasMarks, type Mark, nextItem, setMark } from './marks.ts'
import styles from './TextEditor.module.css'
import { useTextWords } from './text-words.ts'

const ICONS = { bold: <Bold />, bullets: <List />, numbers: <ListOrdered />, link: <Link /> }

/** As if it had been typed, so that the browser can undo it. */
const apply = (area: HTMLTextAreaElement, { from, to, insert, select }: Edit) => {
  area.focus()
  area.setSelectionRange(from, to)
  const isDone = insert === '' ? document.execCommand('delete') : document.execCommand('insertText', false, insert)
  if (!isDone) {
    area.setRangeText(insert, from, to, 'end')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  area.setSelectionRange(...select)
}

/** A text field with a few marks, and how they look. */
export const TextEditor = (props: ComponentProps<typeof AreaField> & { value: string }) => {
  const { value, disabled } = props
  const words = useTextWords()
  const frame = useRef<HTMLDivElement>(null)
  const area = () => frame.current?.querySelector('textarea') as HTMLTextAreaElement
  const mark = (of: Mark) => {
    const { value, selectionStart, selectionEnd } = area()
    apply(area(), setMark(value, selectionStart, selectionEnd, of))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    const { key, ctrlKey, metaKey, altKey, shiftKey, currentTarget } = event
    if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'b') {
      event.preventDefault()
      return mark('bold')
    }
    if (key !== 'Enter' || ctrlKey || metaKey || altKey || shiftKey) return
    if (currentTarget.selectionStart !== currentTarget.selectionEnd) return
    const edit = nextItem(currentTarget.value, currentTarget.selectionStart)
    if (!edit) return
    event.preventDefault()
    apply(currentTarget, edit)
  }
  const marks = Object.keys(ICONS) as Mark[]
  const html = isHtml(value)
  const shown = html ? marksOfHtml(value) : value
  return (
    <div ref={frame} className={styles.editor}>
      <AreaField {...props} onKeyDown={onKeyDown} />
      {!disabled && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen.
        <div role="group" aria-label={words.marks} className={styles.marks}>
          {marks.map((of) => (
            <Button
              key={of}
              kind="quiet"
              icon={ICONS[of]}
              aria-label={words[of]}
              title={words[of]}
              {...(of === 'bold' && { 'aria-keyshortcuts': 'Control+B' })}
              onClick={() => mark(of)}
            />
          ))}
          {html && (
            <Button onClick={() => apply(area(), { from: 0, to: value.length, insert: shown, select: [0, 0] })}>
              {words.convert}
            </Button>
          )}
        </div>
      )}
      {(html || hasMarks(value)) && (
        <section aria-label={words.preview} className={styles.preview}>
          <MarkedText text={shown} />
        </section>
      )}
    </div>
  )
}
