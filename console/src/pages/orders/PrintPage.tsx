import { useQueries, useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { useChangeWords } from '../../components/change-many/words.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Pager } from '../../components/Pager.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { LogoField, useLogo } from './Logo.tsx'
import { openDeliveries } from './labels.ts'
import styles from './PrintPage.module.css'
import { usePrintWords } from './print-words.ts'
import { type Sender, Sheet } from './Sheet.tsx'
import { useOrdersTitle } from './title.ts'
import { useOrderWords } from './words.ts'

const MAX_ORDERS = 100

const choices = <T extends string>(labels: Readonly<Record<T, string>>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }))

/** The store as a sender. Who may not see its settings prints its name alone. */
const useSender = (): Sender => {
  const { store, client, can } = useStore()
  const { data } = useQuery({
    queryKey: [store.id, 'settings'],
    queryFn: ({ signal }) => client.setting.getSettings({ signal }),
    enabled: can('setting:view'),
  })
  const logo = useLogo(data?.logo_id)
  return { ...(data ?? { name: store.name }), logo }
}

/** The orders that were chosen in the list, or all that match its filters, as many at a time as are printed at once. */
const useOrders = () => {
  const { store, client } = useStore()
  const { params } = useAddress()
  const given = (params.get('ids') ?? '').split(',').filter(Boolean)
  const match = params.get('match')
  const cursor = params.get('cursor')
  const isAll = match !== null && params.get('all') === 'yes'
  const matching = useQuery({
    queryKey: [store.id, 'orders', 'print', match, isAll ? cursor : 'count'],
    queryFn: ({ signal }) => {
      const page = isAll ? { page_size: MAX_ORDERS, ...(cursor && { cursor }) } : { page_size: 1 }
      return client.orders.list({ ...Object.fromEntries(new URLSearchParams(match ?? '')), ...page }, { signal })
    },
    enabled: match !== null,
  })
  const chosen = useQueries({
    queries: (isAll ? [] : given.slice(0, MAX_ORDERS)).map((id) => ({
      queryKey: [store.id, 'orders', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.orders.get(id, { signal }),
    })),
  })
  const { data, error, isPending, refetch } = matching
  const total = data?.pagination.total ?? undefined
  return {
    answers: isAll ? [{ data: data?.orders, error, isPending, refetch }] : chosen,
    chosen: given.length,
    total,
    next: data?.pagination.next_cursor ?? null,
    canBeAll: match !== null && (total === undefined || total > given.length),
    isAll,
  }
}

/** Packing lists, one for each parcel that is still to be sent, or invoices: one a page. */
const PrintPage = () => {
  const words = usePrintWords()
  const scopes = useChangeWords().order
  const labels = useOrderWords()
  const { controls } = useMessages()
  const title = useOrdersTitle()
  const { locale } = useWords()
  const { store } = useStore()
  const { params, change } = useAddress()
  const sender = useSender()
  const kind = params.get('kind') === 'invoice' ? 'invoice' : 'packing'
  const paper = params.get('paper') === 'a6' ? 'a6' : 'a4'
  const prices = kind === 'invoice' || params.get('prices') === 'yes'
  const { answers, chosen, total, next, canBeAll, isAll } = useOrders()
  const failed = answers.find(({ error }) => error)
  const isLoading = answers.some(({ isPending }) => isPending)
  const orders = answers.flatMap(({ data }) => data ?? [])
  const number = (value: number) => numberFormat(locale).format(value)
  const set = (name: string) => ({
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }, { replace: true }),
  })
  return (
    <Page
      title={words.title}
      back={{ href: `/s/${store.id}/orders`, label: title }}
      actions={
        <Button
          kind="primary"
          icon={<Printer />}
          disabled={isLoading || orders.length === 0}
          onClick={() => window.print()}
        >
          {labels.printNow}
        </Button>
      }
    >
      <div className={styles.options}>
        {canBeAll && (
          <SelectField
            label={scopes.scope}
            choices={[
              { value: '', label: scopes.chosen(number(chosen)) },
              { value: 'yes', label: scopes.matching(total === undefined ? '…' : number(total)) },
            ]}
            value={isAll ? 'yes' : ''}
            onChange={({ target }) => change({ all: target.value }, { replace: true })}
          />
        )}
        <SelectField label={words.kind} choices={choices(words.kinds)} value={kind} {...set('kind')} />
        <SelectField label={words.paper} choices={choices(words.papers)} value={paper} {...set('paper')} />
        {kind === 'packing' && (
          <SelectField
            label={words.prices}
            choices={choices(words.pricesShown)}
            value={prices ? 'yes' : 'no'}
            {...set('prices')}
          />
        )}
        <LogoField logo={sender.logo} />
      </div>
      {!isAll && chosen > MAX_ORDERS && <p role="alert">{words.cut(String(MAX_ORDERS))}</p>}
      {failed && (
        <div className={styles.failed}>
          <Problem error={failed.error} />
          <Button onClick={() => Promise.all(answers.map(({ error, refetch }) => error && refetch()))}>
            {controls.retry}
          </Button>
        </div>
      )}
      {isLoading && <Skeleton lines={6} />}
      <Surface>
        {!isLoading && !failed && orders.length === 0 && (
          <Empty title={words.none} icon={<Printer />}>
            {words.noneHelp}
          </Empty>
        )}
        <div className={styles.sheets} data-paper={paper}>
          {orders.flatMap((order) => {
            const shared = { order, sender, kind, prices } as const
            const open = openDeliveries(order)
            if (kind === 'invoice' || open.length === 0) return [<Sheet key={order.id} {...shared} />]
            return open.map((parcel) => <Sheet key={parcel.id} {...shared} parcel={parcel} />)
          })}
        </div>
      </Surface>
      {isAll && !isLoading && <Pager total={total} shown={orders.length} next={next} />}
    </Page>
  )
}

export default PrintPage
