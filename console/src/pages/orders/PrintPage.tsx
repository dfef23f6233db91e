import { useQueries, useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useMessages } from '../../messages/messages.ts'
import { LogoField, useLogo } from './Logo.tsx'
import { openDeliveries } from './labels.ts'
import styles from './PrintPage.module.css'
import { usePrintWords } from './print-words.ts'
import { type Sender, Sheet } from './Sheet.tsx'

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

/** Packing lists, one for each parcel that is still to be sent, or invoices: one a page. */
const PrintPage = () => {
  const words = usePrintWords()
  const { orders } = useMessages()
  const { store, client } = useStore()
  const { params, change } = useAddress()
  const sender = useSender()
  const kind = params.get('kind') === 'invoice' ? 'invoice' : 'packing'
  const paper = params.get('paper') === 'a6' ? 'a6' : 'a4'
  const prices = kind === 'invoice' || params.get('prices') === 'yes'
  const given = (params.get('ids') ?? '').split(',').filter(Boolean)
  const ids = given.slice(0, MAX_ORDERS)
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: [store.id, 'orders', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.orders.get(id, { signal }),
    })),
  })
  const failed = answers.find(({ error }) => error)
  const isLoading = answers.some(({ isPending }) => isPending)
  const set = (name: string) => ({
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }, { replace: true }),
  })
  return (
    <Page
      title={words.title}
      back={{ href: `/s/${store.id}/orders`, label: orders.title }}
      actions={
        <Button
          kind="primary"
          icon={<Printer />}
          disabled={isLoading || given.length === 0}
          onClick={() => window.print()}
        >
          {orders.printNow}
        </Button>
      }
    >
      <div className={styles.options}>
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
      {given.length > MAX_ORDERS && <p role="alert">{words.cut(String(MAX_ORDERS))}</p>}
      {failed && <Problem error={failed.error} />}
      {isLoading && <Skeleton lines={6} />}
      <Surface>
        {given.length === 0 && (
          <Empty title={words.none} icon={<Printer />}>
            {words.noneHelp}
          </Empty>
        )}
        <div className={styles.sheets} data-paper={paper}>
          {answers.flatMap(({ data: order }) => {
            if (!order) return []
            const shared = { order, sender, kind, prices } as const
            const open = openDeliveries(order)
            if (kind === 'invoice' || open.length === 0) return [<Sheet key={order.id} {...shared} />]
            return open.map((parcel) => <Sheet key={parcel.id} {...shared} parcel={parcel} />)
          })}
        </div>
      </Surface>
    </Page>
  )
}

export default PrintPage
