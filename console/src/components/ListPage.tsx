import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Columns3 } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useStore } from '../api/store.tsx'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Empty } from './Empty.tsx'
import { type Filter, FilterFields, SearchField } from './ListFilters.tsx'
import styles from './ListPage.module.css'
import { Loaded } from './Loaded.tsx'
import { apiQuery, type ListSource, listQuery, totalQuery } from './list-query.ts'
import { Menu, MenuCheck } from './Menu.tsx'
import { Page, Surface } from './Page.tsx'
import { Pager } from './Pager.tsx'
import { SavedViews } from './SavedViews.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { type Column, Table } from './Table.tsx'
import { useAddress } from './useAddress.ts'
import { useRemaining } from './useDelete.ts'
import { useRowKeys } from './useRowKeys.ts'
import { useSelection } from './useSelection.ts'

/** All rows that match the filters: how many, and how to ask for them. */
export interface Matching {
  total: number
  query: Readonly<Record<string, unknown>>
}

interface ListPageProps<Row> extends ListSource<Row> {
  title: string
  columns: readonly Column<Row>[]
  filters: readonly Filter[]
  /** Placeholder of the search field, for lists that the API can search. */
  searchHint?: string
  defaultSort: { by: string; direction: 'ASC' | 'DESC' }
  /** Views that every store has. */
  views: readonly { name: string; query: string }[]
  keyOf: (row: Row) => string
  nameOf: (row: Row) => string
  href: (row: Row) => string
  empty: { title: string; help: string; noMatch: string; noMatchHelp: string; icon?: ReactNode }
  actions?: ReactNode
  /** Actions for the selected rows, or for all rows that match the filters. */
  bulk?: (rows: readonly Row[], select: (rows: readonly Row[]) => void, matching: Matching) => ReactNode
}

const REFETCH_MS = 30_000

/** The same one each time. */
const NONE: readonly never[] = []

const ColumnMenu = ({
  columns,
  usual,
  chosen,
}: {
  columns: readonly { id: string; label: string }[]
  /** Ids of the columns that are shown by default. */
  usual: readonly string[]
  /** Ids of the columns that are shown now. */
  chosen: readonly string[]
}) => {
  const { controls } = useMessages()
  const { params, change } = useAddress()
  return (
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
  )
}

/** A list with views, filters, table, pager and bulk actions. `OrdersPage` is the example to copy. */
export const ListPage = <Row,>(props: ListPageProps<Row>) => {
  const { list, title, columns, filters, parameters, keyOf, nameOf, href, empty, defaultSort } = props
  const { controls } = useMessages()
  const { store, client } = useStore()
  const { params, change } = useAddress()
  const { selected, change: select, replace } = useSelection(keyOf)

  const asked = useQuery({
    ...listQuery(props, store.id, client, params),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
  const { data, isPending, isFetching } = asked
  const { data: counted } = useQuery(totalQuery(props, store.id, client, params))
  const read = data?.rows ?? NONE
  const rows = useRemaining(read, keyOf)
  const known = data?.pagination.total ?? counted ?? undefined
  const total = known && known - (read.length - rows.length)

  const sort = {
    by: params.get('order_by') ?? defaultSort.by,
    direction: params.get('order_direction') ?? defaultSort.direction,
    onSort: (by: string) =>
      change({ order_by: by, order_direction: sort.by === by && sort.direction === 'DESC' ? 'ASC' : 'DESC' }),
  }
  const usual = columns.filter(({ optional }) => !optional).map(({ id }) => id)
  const chosen = params.get('columns')?.split(',') ?? usual
  const shownIds = chosen.join()
  const visible = useMemo(
    () => columns.filter(({ id }, index) => index === 0 || shownIds.split(',').includes(id)),
    [columns, shownIds],
  )
  const isFiltered = [...parameters, 'search'].some((name) => params.has(name))

  const [current, setCurrent] = useRowKeys<Row>({
    rows,
    toggle: props.bulk && ((row) => select([row], !selected.has(keyOf(row)))),
  })

  return (
    <Page title={title} actions={props.actions}>
      <Surface>
        <SavedViews list={list} builtIn={props.views} ready={!isPending} />
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
          <ColumnMenu columns={columns} usual={usual} chosen={chosen} />
        </div>
        {selected.size > 0 && props.bulk && (
          <SelectionBar count={selected.size} onClear={() => replace([])}>
            {props.bulk([...selected.values()], replace, {
              total: total ?? 0,
              query: { ...apiQuery(params, [...parameters, ...(data?.foundBy ? [] : ['search'])]), ...data?.foundBy },
            })}
          </SelectionBar>
        )}
        <Loaded query={asked}>
          {rows.length === 0 && !total ? (
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
              onCurrent={setCurrent}
              busy={isFetching}
              {...(props.bulk && { selection: { ids: new Set(selected.keys()), onChange: select } })}
            />
          )}
        </Loaded>
      </Surface>
      {data && <Pager total={total} shown={rows.length} next={data.pagination.next_cursor} />}
    </Page>
  )
}
