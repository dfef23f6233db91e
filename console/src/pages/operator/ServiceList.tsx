import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Filters } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { type Filter, FilterFields, SearchField } from '../../components/ListFilters.tsx'
import listStyles from '../../components/ListPage.module.css'
import { Loaded } from '../../components/Loaded.tsx'
import { apiQuery } from '../../components/list-query.ts'
import { Page, Surface } from '../../components/Page.tsx'
import { Pager } from '../../components/Pager.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from './ServiceList.module.css'
import { useOperatorWords } from './words.ts'

interface Answer<Row> {
  rows: readonly Row[]
  /** Null if it is not counted. */
  total: number | null
  next: string | null
}

/** A list outside a store whose filters are in the address. */
export const useServiceList = <Row, More extends object>(
  name: string,
  parameters: readonly string[],
  load: (filters: Filters) => Promise<Answer<Row> & More>,
) => {
  const { params } = useAddress()
  const filters = apiQuery(params, [...parameters, 'search', 'cursor'])
  return useQuery({
    queryKey: ['service', name, filters],
    queryFn: () => load(filters),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
}

interface ServiceListProps<Row> {
  title: string
  actions?: ReactNode
  searchHint: string
  filters: readonly Filter[]
  parameters: readonly string[]
  query: { data: Answer<Row> | undefined; error: unknown; isPending: boolean; refetch: () => unknown }
  empty: { title: string; help?: string }
  row: (row: Row) => ReactNode
  /** Below the list. */
  children?: ReactNode
}

export const ServiceList = <Row,>(props: ServiceListProps<Row>) => {
  const { title, actions, searchHint, filters, parameters, query, empty, row, children } = props
  const words = useOperatorWords()
  const { controls } = useMessages()
  const { params, change } = useAddress()
  const names = [...parameters, 'search']
  const isFiltered = names.some((name) => params.has(name))
  const rows = query.data?.rows ?? []
  return (
    <Page title={title} actions={actions}>
      <Surface>
        <div className={listStyles.filters}>
          <SearchField hint={searchHint} />
          <FilterFields filters={filters} />
          {isFiltered && (
            <Button kind="quiet" onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}>
              {controls.clear}
            </Button>
          )}
        </div>
        <Loaded query={query}>
          {rows.length === 0 ? (
            <Empty title={isFiltered ? words.noMatch : empty.title}>
              {isFiltered ? words.noMatchHelp : empty.help}
            </Empty>
          ) : (
            <ul className={styles.rows}>{rows.map(row)}</ul>
          )}
        </Loaded>
      </Surface>
      {query.data && <Pager total={query.data.total ?? 0} shown={rows.length} next={query.data.next} />}
      {children}
    </Page>
  )
}
