import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import { type Choice, SelectField } from './Field.tsx'
import styles from './ListPage.module.css'
import { usePageKeys } from './page-keys.ts'
import { useAddress } from './useAddress.ts'
import { useHotkeys } from './useHotkeys.ts'

/** A filter of the list: a parameter of the API with the same name. */
export type Filter =
  | { id: string; label: string; kind: 'choice'; choices: readonly Choice[] }
  | { id: string; label: string; kind: 'date' }

/** The URL follows the text with a delay, so that not every key press is a request. */
export const SearchField = ({ hint }: { hint: string }) => {
  const { controls, shell } = useMessages()
  const { params, change } = useAddress()
  const shown = params.get('search') ?? ''
  const [text, setText] = useState(shown)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(shown)
  useEffect(() => {
    if (shown === sent.current) return
    sent.current = shown
    setText(shown)
  }, [shown])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      change({ search: text.trim() }, { replace: shown !== '' })
    }, 300)
    return () => clearTimeout(timer)
  }, [text, shown, change])
  useHotkeys({ '/': () => input.current?.focus() })
  usePageKeys([['/', shell.keys.search]])
  return (
    <div className={styles.search}>
      <Search aria-hidden />
      <input
        ref={input}
        type="search"
        value={text}
        placeholder={hint}
        aria-label={controls.search}
        maxLength={255}
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  )
}

export const FilterFields = ({ filters }: { filters: readonly Filter[] }) => {
  const { controls } = useMessages()
  const { params, change } = useAddress()
  return filters.map((filter) => {
    const value = params.get(filter.id) ?? ''
    const set = (value: string) => change({ [filter.id]: value })
    return filter.kind === 'choice' ? (
      <SelectField
        key={filter.id}
        label={filter.label}
        hideLabel
        value={value}
        choices={[{ value: '', label: controls.labelled(filter.label, controls.any) }, ...filter.choices]}
        onChange={(event) => set(event.target.value)}
      />
    ) : (
      <label key={filter.id} className={styles.date}>
        <span>{filter.label}</span>
        <input type="date" value={value.slice(0, 10)} onChange={(event) => set(event.target.value)} />
      </label>
    )
  })
}
