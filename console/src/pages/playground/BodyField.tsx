import { useId } from 'react'
import { Button } from '../../components/Button.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { jsonPlaces, lineOf, placeOf } from './json-places.ts'
import type { RequestBody } from './operations.ts'
import styles from './Playground.module.css'
import { usePlaygroundWords } from './words.ts'

interface BodyFieldProps {
  about: RequestBody
  text: string
  onChange: (text: string) => void
  /** What the server refused, by its place in the body. */
  errors: Readonly<Record<string, readonly string[]>>
  files: Readonly<Record<string, readonly File[]>>
  onFiles: (part: string, files: readonly File[]) => void
}

/** What is wrong with the text before it is sent. */
export const faultOf = ({ kind, isRequired }: RequestBody, text: string) => {
  if (kind === 'lines' || (text.trim() === '' && !isRequired)) return undefined
  return jsonPlaces(text).fault
}

/** Selects what an error is about. */
const select = (area: HTMLTextAreaElement | null, start: number, end: number) => {
  if (!area) return
  area.focus()
  area.setSelectionRange(start, end)
  // A browser scrolls to the end of a selection only while somebody types.
  const lines = area.value.split('\n').length
  area.scrollTop = (area.scrollHeight * (lineOf(area.value, start) - 3)) / lines
}

/** The body as text, with the errors of the server beside it, and the files that go with it. */
export const BodyField = ({ about, text, onChange, errors, files, onFiles }: BodyFieldProps) => {
  const words = usePlaygroundWords()
  const { locale } = useWords()
  const id = useId()
  const number = (value: number) => numberFormat(locale).format(value)
  const fault = faultOf(about, text)
  const places = about.kind === 'json' ? jsonPlaces(text).places : undefined
  const area = () => document.getElementById(id) as HTMLTextAreaElement | null
  const faults = Object.entries(errors).map(([path, sentences]) => {
    const span = places && placeOf(places, path)
    return { path, sentences, span, line: span && lineOf(text, span.start) }
  })
  const label = about.isPlainForm ? words.fields : about.kind === 'lines' ? words.lines : words.body
  const isWrong = fault !== undefined || faults.length > 0
  return (
    <section className={styles.part}>
      <div className={styles.labelled}>
        <label htmlFor={id}>{label}</label>
        {text !== about.example && (
          <Button kind="quiet" onClick={() => onChange(about.example)}>
            {words.reset}
          </Button>
        )}
      </div>
      <div className={styles.body} data-wrong={faults.length > 0 || undefined}>
        <textarea
          id={id}
          dir="ltr"
          rows={6}
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          aria-describedby={`${id}-help`}
          aria-invalid={isWrong || undefined}
          onChange={({ target }) => onChange(target.value)}
        />
        {faults.length > 0 && (
          <div role="alert" className={styles.faults}>
            <h3>{words.faults}</h3>
            <ul>
              {faults.map(({ path, sentences, span, line }) => (
                <li key={path}>
                  <button type="button" disabled={!span} onClick={() => span && select(area(), span.start, span.end)}>
                    {line !== undefined && <span>{words.line(number(line))} · </span>}
                    <Ltr>{path}</Ltr>
                  </button>
                  <p lang="en" dir="auto">
                    {sentences.join(' ')}
                  </p>
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <p id={`${id}-help`} className={fault === undefined ? styles.help : styles.error}>
        {fault === undefined ? words.bodyHelp : words.notJson(number(lineOf(text, fault)))}
      </p>
      {about.files.length > 0 && (
        <fieldset className={styles.files}>
          <legend>{words.files}</legend>
          {!about.isPlainForm && <p className={styles.help}>{words.filesHelp}</p>}
          {about.files.map(({ name, about: sentence }) => (
            <label key={name}>
              <span>
                <Ltr>{name}</Ltr>
                <small lang="en" dir="auto">
                  {sentence.replaceAll('`', '')}
                </small>
              </span>
              <input
                type="file"
                multiple={name.endsWith('[]')}
                onChange={({ target }) => onFiles(name, [...(target.files ?? [])])}
              />
              <small>{files[name]?.map((file) => file.name).join(', ')}</small>
            </label>
          ))}
        </fieldset>
      )}
    </section>
  )
}
