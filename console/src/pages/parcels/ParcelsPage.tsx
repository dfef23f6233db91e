import { useQueryClient } from '@tanstack/react-query'
import { HandCoins, Truck, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { MAX_CASH_PARCELS, PARCEL_STATES, type ParcelState } from '../../../../src/resources/parcels/states.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Badge, type Tone } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { describeError } from '../../components/describe-error.ts'
import { TextField } from '../../components/Field.tsx'
import { ListPage } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Money } from '../../components/Money.tsx'
import type { Column } from '../../components/Table.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { useCarriers } from '../orders/useCarriers.ts'
import styles from './Parcels.module.css'
import { useParcelWords } from './words.ts'

type Parcel = Awaited<ReturnType<Client['parcels']['list']>>['parcels'][number]

const TONES: Record<ParcelState, Tone> = {
  unfulfilled: 'plain',
  fulfilled: 'plain',
  shipped: 'accent',
  delivered: 'good',
  returning: 'warn',
  returned: 'bad',
  cancelled: 'plain',
}

/** What is owed in all, in each currency. */
const sumsOf = (parcels: readonly Parcel[]) => {
  const sums = new Map<string, number>()
  for (const { currency, cash_owed } of parcels) sums.set(currency, (sums.get(currency) ?? 0) + cash_owed)
  return [...sums]
}

const useCash = () => {
  const words = useParcelWords()
  const messages = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const renew = () =>
    Promise.all(['parcels', 'orders', 'order'].map((list) => queries.invalidateQueries({ queryKey: [store.id, list] })))
  const takeBack = async (parcels: readonly Parcel[]): Promise<boolean> => {
    try {
      await client.parcels.updateParcelCash({ parcel_ids: parcels.map(({ id }) => id), received: false })
      toast(words.reversed)
      return true
    } catch (error) {
      const action = { label: messages.controls.retry, run: () => void takeBack(parcels) }
      toast(describeError(error, messages).message, { bad: true, action })
      return false
    } finally {
      await renew()
    }
  }
  const received = async (parcels: readonly Parcel[]) => {
    toast(words.receivedCount(parcels.length), { action: { label: words.undo, run: () => takeBack(parcels) } })
    await renew()
  }
  return { received, takeBack }
}

const ReceiveDialog = ({ parcels, onClose }: { parcels: readonly Parcel[]; onClose: (done: boolean) => void }) => {
  const words = useParcelWords()
  const { client } = useStore()
  const { received } = useCash()
  const [reference, setReference] = useState('')
  const receive = useCreate((parcel_ids: string[], options) =>
    client.parcels.updateParcelCash({ parcel_ids, reference: reference.trim() || null }, options),
  )
  return (
    <Confirm
      title={words.receiveAsk(parcels.length)}
      act={words.receive}
      onClose={() => onClose(false)}
      onConfirm={async () => {
        await receive(parcels.map(({ id }) => id))
        await received(parcels)
        onClose(true)
      }}
      more={
        <>
          <p>
            {words.total}:{' '}
            {sumsOf(parcels).map(([currency, amount]) => (
              <strong key={currency}>
                <Money amount={amount} currency={currency} />{' '}
              </strong>
            ))}
          </p>
          <TextField
            label={words.reference}
            value={reference}
            maxLength={255}
            onChange={({ target }) => setReference(target.value)}
          />
        </>
      }
    >
      {words.receiveHelp}
    </Confirm>
  )
}

/** Deliveries that a carrier has, and the cash that it has collected. */
const ParcelsPage = () => {
  const words = useParcelWords()
  const { store, can } = useStore()
  const carriers = useCarriers()
  const { takeBack } = useCash()
  const [receiving, setReceiving] = useState<{ parcels: readonly Parcel[]; clear: () => void }>()
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
          bulk: (parcels, select) => {
            const owing = parcels.filter(({ cash_owed }) => cash_owed > 0)
            const paid = parcels.filter(({ cash_received }) => cash_received !== null)
            if (parcels.length > MAX_CASH_PARCELS) return <span>{words.tooMany}</span>
            return (
              <>
                {owing.length > 0 && (
                  <Button
                    icon={<HandCoins />}
                    onClick={() => setReceiving({ parcels: owing, clear: () => select([]) })}
                  >
                    {words.receive}
                  </Button>
                )}
                {paid.length > 0 && (
                  <Button
                    icon={<Undo2 />}
                    onClick={async () => {
                      if (await takeBack(paid)) select([])
                    }}
                  >
                    {words.reverse}
                  </Button>
                )}
              </>
            )
          },
        })}
      />
      {receiving && (
        <ReceiveDialog
          parcels={receiving.parcels}
          onClose={(done) => {
            setReceiving(undefined)
            if (done) receiving.clear()
          }}
        />
      )}
    </>
  )
}

export default ParcelsPage
