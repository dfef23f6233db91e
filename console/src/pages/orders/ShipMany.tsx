import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { type ClipboardEvent, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError, isUnanswered } from '../../components/describe-error.ts'
import { CheckField, SelectField, TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useMessages } from '../../messages/messages.ts'
import { isUnconfirmed, type Order, openDeliveries } from './labels.ts'
import styles from './ShipMany.module.css'
import { useCarriers } from './useCarriers.ts'
import { useOrderWords } from './words.ts'

/** One parcel of an order. */
interface Row {
  order: Order
  delivery: string | undefined
  /** Which parcel, for an order that is split. */
  parcel: string | undefined
  /** Left out: stays where it is. */
  isChosen: boolean
  carrier: string
  tracking: string
  /** One key for all attempts of a row: a retry never ships twice. */
  key: string
  state: 'waiting' | 'sending' | 'sent' | 'failed'
  problem?: string
}

interface ShipManyProps {
  orders: readonly Order[]
  /** Called with those that failed, which stay selected. */
  done: (failed: readonly Order[]) => void
  onClose: () => void
}

/** A row for each parcel that is still to be sent; one without a field for an order that has none. */
const rowsOf = (order: Order, parcelName: (number: string) => string): Row[] => {
  const common = { order, isChosen: true, state: 'waiting' as const }
  const open = openDeliveries(order)
  if (open.length === 0)
    return [{ ...common, delivery: undefined, parcel: undefined, carrier: '', tracking: '', key: crypto.randomUUID() }]
  return open.map((delivery) => ({
    ...common,
    delivery: delivery.id,
    parcel: order.deliveries.length > 1 ? parcelName(String(order.deliveries.indexOf(delivery) + 1)) : undefined,
    carrier: delivery.shipping_carrier?.id ?? '',
    tracking: delivery.tracking_number ?? '',
    key: crypto.randomUUID(),
  }))
}

/** Ships many orders in one grid: a column of tracking numbers can be pasted, and each row shows its result. */
const ShipMany = ({ orders, done, onClose }: ShipManyProps) => {
  const messages = useMessages()
  const words = useOrderWords()
  const { controls } = messages
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const carriers = useCarriers()
  const [busy, setBusy] = useState(false)
  const [rows, setRows] = useState<Row[]>(() => orders.flatMap((order) => rowsOf(order, words.deliveryNumber)))
  const change = (index: number, changes: Partial<Row>) =>
    setRows((rows) => rows.map((row, place) => (place === index ? { ...row, ...changes } : row)))

  const paste = (index: number) => (event: ClipboardEvent) => {
    const lines = event.clipboardData
      .getData('text')
      .split(/\r?\n/)
      .map((line) => line.split('\t')[0]?.trim() ?? '')
    while (lines.at(-1) === '') lines.pop()
    if (lines.length < 2) return
    event.preventDefault()
    const open = rows.flatMap(({ delivery }, place) => (delivery && place >= index ? [place] : []))
    setRows((rows) => rows.map((row, place) => ({ ...row, tracking: lines[open.indexOf(place)] ?? row.tracking })))
  }

  const ship = async () => {
    setBusy(true)
    const results: Row[] = []
    for (const [index, row] of rows.entries()) {
      if (!row.delivery || !row.isChosen || row.state === 'sent') {
        results.push(row)
        continue
      }
      change(index, { state: 'sending' })
      const { carrier, tracking } = row
      try {
        // Rows of a list have no version, and somebody else may have shipped the order in the meantime.
        const newest = await client.orders.get(row.order.id)
        if (!openDeliveries(newest).some(({ id }) => id === row.delivery)) throw new Error(words.conflict)
        await client.orders.updateDelivery(
          row.delivery,
          {
            status: 'shipped',
            ...(carrier && { shipping_carrier: carrier }),
            ...(tracking && { tracking_number: tracking }),
          },
          { idempotencyKey: row.key, ifMatch: newest },
        )
        results.push({ ...row, state: 'sent' })
      } catch (error) {
        const { message, fields } = describeError(error, messages)
        const sentences = Object.values(fields).flat()
        // A refused row may be corrected, which makes it a new request; without an answer it may have been carried out.
        const key = isUnanswered(error) ? row.key : crypto.randomUUID()
        results.push({ ...row, key, state: 'failed', problem: sentences.join(', ') || message })
      }
      change(index, results.at(-1) as Row)
    }
    setBusy(false)
    const failed = results.filter(({ state }) => state === 'failed')
    const sent = results.filter(({ state }) => state === 'sent')
    await queries.invalidateQueries({ queryKey: [store.id, 'orders'] })
    done([...new Set(failed.map(({ order }) => order))])
    if (failed.length > 0) return toast(words.failedCount(failed.length), { bad: true })
    toast(words.shippedCount(sent.length))
    onClose()
  }

  const shippable = rows.filter(({ delivery, isChosen, state }) => delivery && isChosen && state !== 'sent').length
  const isSplit = rows.length > orders.length
  const shipWords = isSplit ? words.shipParcels : words.shipMany
  return (
    <Dialog
      wide
      title={words.shipMany(orders.length)}
      onClose={onClose}
      onSubmit={ship}
      footer={
        <>
          <Button onClick={onClose}>{controls.close}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={shippable === 0}>
            {shipWords(shippable)}
          </Button>
        </>
      }
    >
      <div className={styles.intro}>
        <p>{words.shipHelp}</p>
        <SelectField
          label={words.carrierForAll}
          choices={carriers}
          defaultValue=""
          onChange={({ target }) =>
            setRows((rows) => rows.map((row) => (row.state === 'sent' ? row : { ...row, carrier: target.value })))
          }
        />
      </div>
      <table className={styles.grid}>
        <caption className="hidden">{words.shipMany(orders.length)}</caption>
        <thead>
          <tr>
            <th scope="col">{words.order}</th>
            <th scope="col">{words.carrier}</th>
            <th scope="col">{words.tracking}</th>
            <th scope="col">
              <span className="hidden">{words.newStatus}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ order, delivery, parcel, isChosen, carrier, tracking, state, problem }, index) => (
            <tr key={delivery ?? order.id}>
              <th scope="row">
                <Ltr>{order.ref}</Ltr>
                <span dir="auto">{order.customer_name}</span>
                {delivery && isUnconfirmed(order) && (
                  <span className={styles.unconfirmed}>{words.desk.unconfirmed}</span>
                )}
                {parcel && (
                  <CheckField
                    label={parcel}
                    checked={isChosen}
                    disabled={busy || state === 'sent'}
                    onChange={(isChosen) => change(index, { isChosen })}
                  />
                )}
              </th>
              {delivery ? (
                <>
                  <td>
                    <SelectField
                      label={[words.carrier, order.ref, parcel].filter(Boolean).join(' ')}
                      hideLabel
                      choices={carriers}
                      value={carrier}
                      disabled={busy || !isChosen || state === 'sent'}
                      onChange={({ target }) => change(index, { carrier: target.value })}
                    />
                  </td>
                  <td>
                    <TextField
                      label={[words.tracking, order.ref, parcel].filter(Boolean).join(' ')}
                      hideLabel
                      dir="ltr"
                      value={tracking}
                      disabled={busy || !isChosen || state === 'sent'}
                      errors={problem && state === 'failed' ? [problem] : undefined}
                      onPaste={paste(index)}
                      onChange={({ target }) => change(index, { tracking: target.value })}
                      onKeyDown={(event) => {
                        // A scanner ends with Enter: on to the next parcel.
                        if (event.key !== 'Enter') return
                        event.preventDefault()
                        const fields = [
                          ...(event.currentTarget.closest('table')?.querySelectorAll<HTMLElement>('input[dir]') ?? []),
                        ]
                        fields[fields.indexOf(event.currentTarget) + 1]?.focus()
                      }}
                    />
                  </td>
                </>
              ) : (
                <td colSpan={2}>{words.notShippable}</td>
              )}
              <td className={styles.state}>
                {state === 'sent' && <CircleCheck className={styles.good} aria-label={words.sent} />}
                {state === 'failed' && <CircleAlert className={styles.bad} aria-label={controls.failed} />}
                {state === 'sending' && words.sending}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}

export default ShipMany
