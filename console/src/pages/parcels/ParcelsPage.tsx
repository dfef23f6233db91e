import { HandCoins, Truck, Undo2 } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { PARCEL_STATES, type ParcelState } from '../../../../src/resources/parcels/states.ts'
import { useStore } from '../../api/store.tsx'
import { Badge, type Tone } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { ListPage } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { loadable } from '../../components/loadable.tsx'
import { Money } from '../../components/Money.tsx'
import type { Column } from '../../components/Table.tsx'
import { When } from '../../components/When.tsx'
import { useCarriers } from '../orders/useCarriers.ts'
import { CASH_ACTS, type CashAct, type Parcel } from './cash-acts.ts'
import styles from './Parcels.module.css'
import { useParcelWords } from './words.ts'

const TONES: Record<ParcelState, Tone> = {
  unfulfilled: 'plain',
  fulfilled: 'plain',
  shipped: 'accent',
  delivered: 'good',
  returning: 'warn',
  returned: 'bad',
  cancelled: 'plain',
}

const CashDialog = loadable(() => import('./CashDialog.tsx'))

/** Deliveries that a carrier has, and the cash that it has collected. */
const ParcelsPage = () => {
  const words = useParcelWords()
  const { store, can } = useStore()
  const carriers = useCarriers()
  const [settling, setSettling] = useState<
    Pick<ComponentProps<typeof CashDialog>, 'act' | 'chosen' | 'matching'> & { clear: () => void }
  >()
  const columns: Column<Parcel>[] = [
    {
      id: 'order',
      label: words.order,
      cell: ({ order_ref }) => <Ltr>{order_ref}</Ltr>,
      below: ({ customer_name, tracking_number }) => (
        <>
          <bdi>{customer_name}</bdi> <Ltr>{tracking_number}</Ltr>
        </>
      ),
    },
    {
      id: 'customer',
      label: words.customer,
      wide: true,
      cell: ({ customer_name, customer_city }) => (
        <bdi>{[customer_name, customer_city].filter(Boolean).join(', ') || '–'}</bdi>
      ),
    },
    {
      id: 'carrier',
      label: words.carrier,
      wide: true,
      cell: ({ shipping_carrier }) => <bdi>{shipping_carrier?.name}</bdi>,
    },
    {
      id: 'number',
      label: words.number,
      wide: true,
      cell: ({ tracking_number }) => (tracking_number ? <Ltr>{tracking_number}</Ltr> : '–'),
    },
    {
      id: 'state',
      label: words.state,
      cell: ({ state }) => <Badge tone={TONES[state]}>{words.states[state]}</Badge>,
    },
    {
      id: 'changed',
      label: words.changed,
      sort: 'date',
      wide: true,
      cell: ({ updated_at }) => <When at={updated_at} zone={store.time_zone} />,
    },
    {
      id: 'owed',
      label: words.owed,
      align: 'end',
      cell: ({ cash_owed, cash_received, currency }) =>
        cash_owed > 0 ? (
          <Money amount={cash_owed} currency={currency} />
        ) : cash_received === null ? (
          '–'
        ) : (
          <span className={styles.help}>
            <Money amount={cash_received} currency={currency} /> ✓
          </span>
        ),
    },
  ]
  return (
    <>
      <ListPage<Parcel>
        list="parcels"
        title={words.list}
        columns={columns}
        parameters={['carrier_id', 'state', 'cash', 'tracking_number', 'from', 'to']}
        filters={[
          {
            id: 'carrier_id',
            label: words.carrier,
            kind: 'choice',
            choices: carriers.filter(({ value }) => value !== ''),
          },
          {
            id: 'state',
            label: words.state,
            kind: 'choice',
            choices: PARCEL_STATES.map((value) => ({ value, label: words.states[value] })),
          },
          {
            id: 'cash',
            label: words.cash,
            kind: 'choice',
            choices: [
              { value: 'owed', label: words.owedView },
              { value: 'received', label: words.receivedView },
            ],
          },
        ]}
        defaultSort={{ by: 'date', direction: 'DESC' }}
        views={[
          { name: words.list, query: '' },
          { name: words.owedView, query: 'cash=owed' },
          { name: words.backView, query: 'state=returning' },
          { name: words.receivedView, query: 'cash=received' },
        ]}
        load={async (client, query, signal) => {
          const { parcels, pagination } = await client.parcels.list(query, { signal })
          return { rows: parcels, pagination }
        }}
        keyOf={({ id }) => id}
        nameOf={({ order_ref }) => order_ref}
        href={({ order_id }) => `/s/${store.id}/orders/${order_id}`}
        empty={{
          title: words.empty,
          help: words.noneHelp,
          noMatch: words.noMatch,
          noMatchHelp: words.noMatchHelp,
          icon: <Truck />,
        }}
        {...(can('order:update') && {
          bulk: (chosen, select, matching) => {
            const settle = (act: CashAct) => setSettling({ act, chosen, matching, clear: () => select([]) })
            return (
              <>
                {chosen.some(CASH_ACTS.receive.can) && (
                  <Button icon={<HandCoins />} onClick={() => settle('receive')}>
                    {words.receive}
                  </Button>
                )}
                {chosen.some(CASH_ACTS.takeBack.can) && (
                  <Button icon={<Undo2 />} onClick={() => settle('takeBack')}>
                    {words.reverse}
                  </Button>
                )}
              </>
            )
          },
        })}
      />
      {settling && (
        <CashDialog
          {...settling}
          onClose={(done) => {
            setSettling(undefined)
            if (done) settling.clear()
          }}
        />
      )}
    </>
  )
}

export default ParcelsPage
