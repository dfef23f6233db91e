import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, Columns3, Plus, Search, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { consoleApi, type SavedView } from '../api/console.ts'
import { type Client, useStore } from '../api/store.tsx'
import { numberFormat } from '../messages/formats.ts'
import { useMessages, useWords } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Confirm } from './Confirm.tsx'
import { Dialog } from './Dialog.tsx'
import { Empty } from './Empty.tsx'
import { type Choice, SelectField, TextField } from './Field.tsx'
import styles from './ListPage.module.css'
import { Loaded } from './Loaded.tsx'
import { Menu, MenuCheck } from './Menu.tsx'
import { Page, Surface } from './Page.tsx'
import { Problem } from './Problem.tsx'
import { type Column, Table } from './Table.tsx'
import { useToast } from './Toast.tsx'
import { useAddress, withChanges } from './useAddress.ts'
import { useForm } from './useForm.ts'
import { useHotkeys } from './useHotkeys.ts'

/** A filter of the list: a parameter of the API with the same name. */
export type Filter =
  | { id: string; label: string; kind: 'choice'; choices: readonly Choice[] }
  | { id: string; label: string; kind: 'date' }

export interface ListQuery {
  page_size: number
  cursor?: string
  [filter: string]: unknown
}

export interface ListAnswer<Row> {
  rows: Row[]
  pagination: { total: number; next_cursor: string | null }
}

/** All rows that match the filters: how many, and how to ask for them. */
export interface Matching {
  total: number
  query: Readonly<Record<string, unknown>>
}

interface ListPageProps<Row> {
  /** Names the list in saved views and in the cache: `orders`. */
  list: string
  title: string
  columns: readonly Column<Row>[]
  filters: readonly Filter[]
  /** Parameters of the API that may stand in the address beside the filters. */
  parameters: readonly string[]
  /** Of a list that the API can search. */
  searchHint?: string
  defaultSort: { by: string; direction: 'ASC' | 'DESC' }
  /** Views that every store has. */
  views: readonly { name: string; query: string }[]
  load: (client: Client, query: ListQuery, signal: AbortSignal) => Promise<ListAnswer<Row>>
  keyOf: (row: Row) => string
  nameOf: (row: Row) => string
  href: (row: Row) => string
  empty: { title: string; help: string; noMatch: string; noMatchHelp: string; icon?: ReactNode }
  actions?: ReactNode
  /** What can be done with the chosen rows, or with all that match the filters. */
  bulk?: (rows: readonly Row[], select: (rows: readonly Row[]) => void, matching: Matching) => ReactNode
}

const PAGE_SIZE = 50
const REFETCH_MS = 30_000

/** The query of the API for this address. */
export const apiQuery = (params: URLSearchParams, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (params.get(name) ? [[name, params.get(name) as string]] : [])))

/** Types are slow: the address follows a moment later, and the field is the reader's own meanwhile. */
const SearchField = ({ hint }: { hint: string }) => {
  const { controls } = useMessages()
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

const FilterFields = ({ filters }: { filters: readonly Filter[] }) => {
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
        choices={[{ value: '', label: `${filter.label}: ${controls.any}` }, ...filter.choices]}
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

const SaveView = ({ list, query, onClose }: { list: string; query: string; onClose: () => void }) => {
  const { controls } = useMessages()
  const { store } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const form = useForm({ name: '' }, ({ name = '' }) =>
    consoleApi.saveView({ store_id: store.id, list, name: name.trim(), query }),
  )
  const submit = async () => {
    if (!(await form.submit())) return
    await queries.invalidateQueries({ queryKey: ['views', store.id, list] })
    toast(controls.viewSaved)
    onClose()
  }
  return (
    <Dialog
      title={controls.saveView}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            {controls.save}
          </Button>
        </>
      }
    >
      <Problem error={form.error} shown={['name']} />
      <TextField label={controls.viewName} {...form.field('name')} maxLength={60} required autoFocus />
    </Dialog>
  )
}

/** The same filters, whatever their sequence, the page and the columns. */
const normalized = (query: string) => {
  const params = new URLSearchParams(query)
  for (const name of ['cursor', 'at', 'columns']) params.delete(name)
  params.sort()
  return params.toString()
}

const Views = ({
  list,
  builtIn,
  ready,
}: {
  list: string
  builtIn: readonly { name: string; query: string }[]
  ready: boolean
}) => {
  const { controls } = useMessages()
  const { store } = useStore()
  const queries = useQueryClient()
  const { search, path } = useAddress()
  const [saving, setSaving] = useState(false)
  const [deleting, setDeleting] = useState<SavedView>()
  // Rows come first.
  const { data } = useQuery({
    queryKey: ['views', store.id, list],
    queryFn: () => consoleApi.views(store.id, list),
    enabled: ready,
    staleTime: 300_000,
  })
  const current = normalized(search)
  const saved = data?.views ?? []
  const known = [...builtIn, ...saved].some(({ query }) => normalized(query) === current)
  return (
    <nav className={styles.views} aria-label={controls.views}>
      <ul>
        {builtIn.map(({ name, query }) => (
          <li key={name}>
            <Link
              href={query ? `${path}?${query}` : path}
              aria-current={normalized(query) === current ? 'page' : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
        {saved.map((view) => (
          <li key={view.id}>
            <Link
              href={`${path}?${view.query}`}
              dir="auto"
              aria-current={normalized(view.query) === current ? 'page' : undefined}
            >
              {view.name}
            </Link>
            {normalized(view.query) === current && (
              <button
                type="button"
                className={styles.remove}
                aria-label={`${controls.deleteView}: ${view.name}`}
                onClick={() => setDeleting(view)}
              >
                <X />
              </button>
            )}
          </li>
        ))}
        {!known && current !== '' && (
          <li>
            <button type="button" className={styles.save} onClick={() => setSaving(true)}>
              <Plus aria-hidden /> {controls.saveView}
            </button>
          </li>
        )}
      </ul>
      {saving && <SaveView list={list} query={current} onClose={() => setSaving(false)} />}
      {deleting && (
        <Confirm
          title={controls.deleteView}
          act={controls.delete}
          danger
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await consoleApi.deleteView(deleting.id)
            await queries.invalidateQueries({ queryKey: ['views', store.id, list] })
          }}
        >
          {controls.deleteViewAsk(deleting.name)}
        </Confirm>
      )}
    </nav>
  )
}

export const Pager = ({ total, shown, next }: { total: number; shown: number; next: string | null }) => {
  const { controls } = useMessages()
  const { locale } = useWords()
  const { search, params, path } = useAddress()
  const before = Number(params.get('at') ?? 0)
  const number = (value: number) => numberFormat(locale).format(value)
  const here = `${path}?${search}`
  const goNext = next ? `${path}?${withChanges(search, { cursor: next, at: String(before + shown) })}` : undefined
  // Cursors lead forward. The way back is the history, or the first page where there is none.
  const earlier = (history.state as { earlier?: string } | null)?.earlier
  const first = withChanges(search, { cursor: undefined, at: undefined })
  const goBack = before > 0 ? (earlier ?? (first ? `${path}?${first}` : path)) : undefined
  return (
    <div className={styles.pager}>
      <span>{total > 0 && controls.range(number(before + 1), number(before + shown), number(total))}</span>
      <span className={styles.steps}>
        {goBack && (
          <Link href={goBack} aria-label={earlier ? controls.previous : controls.first}>
            <ChevronLeft className="pointing" />
          </Link>
        )}
        {goNext && (
          <Link href={goNext} state={{ earlier: here }} aria-label={controls.next}>
            <ChevronRight className="pointing" />
          </Link>
        )}
      </span>
    </div>
  )
}

/** A list: views, filters, table, pages, and what can be done with chosen rows. Pages of other resources copy orders. */
export const ListPage = <Row,>(props: ListPageProps<Row>) => {
  const { list, title, columns, filters, parameters, load, keyOf, nameOf, href, empty, defaultSort } = props
  const { controls } = useMessages()
  const { store, client } = useStore()
  const { params, change, navigate } = useAddress()
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map())
  const [current, setCurrent] = useState<number>()

  const query: ListQuery = {
    page_size: PAGE_SIZE,
    ...apiQuery(params, [...parameters, 'search', 'order_by', 'order_direction', 'cursor']),
  }
  const asked = useQuery({
    queryKey: [store.id, list, query],
    queryFn: ({ signal }) => load(client, query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
  const { data, isPending, isFetching } = asked
  const rows = data?.rows ?? []

  const sort = {
    by: params.get('order_by') ?? defaultSort.by,
    direction: params.get('order_direction') ?? defaultSort.direction,
    onSort: (by: string) =>
      change({ order_by: by, order_direction: sort.by === by && sort.direction === 'DESC' ? 'ASC' : 'DESC' }),
  }
  const usual = columns.filter(({ optional }) => !optional).map(({ id }) => id)
  const chosen = params.get('columns')?.split(',') ?? usual
  const visible = columns.filter(({ id }, index) => index === 0 || chosen.includes(id))
  const isFiltered = [...parameters, 'search'].some((name) => params.has(name))

  const select = (rows: readonly Row[], on: boolean) => {
    const next = new Map(selected)
    for (const row of rows) {
      if (on) next.set(keyOf(row), row)
      else next.delete(keyOf(row))
    }
    setSelected(next)
  }
  const move = (by: number) =>
    setCurrent((place = by > 0 ? -1 : rows.length) => Math.min(rows.length - 1, Math.max(0, place + by)))
  const row = current === undefined ? undefined : rows[current]
  useHotkeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => row && props.bulk && select([row], !selected.has(keyOf(row))),
    Enter: (event) => {
      const target = event.target as HTMLElement
      if (target.closest('a, button')) target.click()
      else if (row) navigate(href(row))
    },
  })
  useEffect(() => {
    if (current !== undefined) document.querySelector(`[data-row="${current}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [current])

  return (
    <Page title={title} actions={props.actions}>
      <Surface>
        <Views list={list} builtIn={props.views} ready={!isPending} />
        <div className={styles.filters}>
          {props.searchHint !== undefined && <SearchField hint={props.searchHint} />}
          <FilterFields filters={filters} />
          {isFiltered && (
            <Button
              kind="quiet"
              onClick={() => change(Object.fromEntries([...parameters, 'search'].map((name) => [name, undefined])))}
            >
              {controls.clear}
            </Button>
          )}
          <span className={styles.choose}>
            <Menu trigger={<Button kind="quiet" icon={<Columns3 />} aria-label={controls.columns} />}>
              {columns.slice(1).map(({ id, label }) => (
                <MenuCheck
                  key={id}
                  checked={chosen.includes(id)}
                  onChange={(on) => {
                    const next = columns
                      .map((column) => column.id)
                      .filter((other) => (other === id ? on : chosen.includes(other)))
                    change(
                      {
                        columns: next.join() === usual.join() ? undefined : next.join(),
                        cursor: params.get('cursor') ?? undefined,
                        at: params.get('at') ?? undefined,
                      },
                      { replace: true },
                    )
                  }}
                >
                  {label}
                </MenuCheck>
              ))}
            </Menu>
          </span>
        </div>
        {selected.size > 0 && props.bulk && (
          <section className={styles.bulk} aria-label={controls.selected(selected.size)}>
            <strong>{controls.selected(selected.size)}</strong>
            {props.bulk([...selected.values()], (rows) => setSelected(new Map(rows.map((row) => [keyOf(row), row]))), {
              total: data?.pagination.total ?? 0,
              query: apiQuery(params, [...parameters, 'search']),
            })}
            <Button kind="quiet" onClick={() => setSelected(new Map())}>
              {controls.clearSelection}
            </Button>
          </section>
        )}
        <Loaded query={asked}>
          {rows.length === 0 ? (
            <Empty title={isFiltered ? empty.noMatch : empty.title} icon={empty.icon}>
              {isFiltered ? empty.noMatchHelp : empty.help}
            </Empty>
          ) : (
            <Table
              caption={title}
              columns={visible}
              rows={rows}
              keyOf={keyOf}
              nameOf={nameOf}
              href={href}
              sort={sort}
              current={current}
              busy={isFetching}
              {...(props.bulk && { selection: { ids: new Set(selected.keys()), onChange: select } })}
            />
          )}
        </Loaded>
      </Surface>
      {data && <Pager total={data.pagination.total} shown={rows.length} next={data.pagination.next_cursor} />}
    </Page>
  )
}
