import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError } from '../../../../client/src/errors.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { CheckField, SelectField, TextField } from '../../components/Field.tsx'
import { formatMoney } from '../../components/Money.tsx'
import { describeError, Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { type Chosen, chosenLines, LineChooser } from './LineChooser.tsx'
import { type Delivery, type Order, refundedUnits, returnedUnits } from './labels.ts'
import { useCarriers } from './useCarriers.ts'

interface ActProps {
  order: Order
  onClose: () => void
}

/** Shows the new state of an order wherever it is shown. */
export const useRenewOrder = () => {
  const queries = useQueryClient()
  const { store } = useStore()
  return () => queries.invalidateQueries({ queryKey: [store.id, 'orders'] })
}

/** An action on the order as shown on the page. After a conflict the newest version is shown, and input is kept. */
export const useAttempt = () => {
  const { orders: words } = useMessages()
  const renew = useRenewOrder()
  return async <T,>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error
      await renew()
      throw new Error(words.conflict)
    }
  }
}

const Buttons = ({ act, busy, onClose }: { act: string; busy: boolean; onClose: () => void }) => {
  const { controls } = useMessages()
  return (
    <>
      <Button onClick={onClose}>{controls.cancel}</Button>
      <Button kind="primary" type="submit" busy={busy}>
        {act}
      </Button>
    </>
  )
}

/** Status, carrier and tracking number of one delivery. */
export const DeliveryDialog = ({ order, delivery, onClose }: ActProps & { delivery: Delivery }) => {
  const { orders: words } = useMessages()
  const { client } = useStore()
  const carriers = useCarriers()
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  const waits = delivery.status === 'unfulfilled' || delivery.status === 'fulfilled'
  const form = useForm(
    {
      // What the dialog was opened for.
      status: waits ? 'shipped' : (delivery.status as string),
      shipping_carrier: delivery.shipping_carrier?.id ?? '',
      tracking_number: delivery.tracking_number ?? '',
    },
    (_changes, { status, shipping_carrier, tracking_number }) =>
      attempt(() =>
        client.orders.updateDelivery(
          delivery.id,
          {
            status: status as Delivery['status'],
            shipping_carrier: shipping_carrier || null,
            tracking_number: tracking_number.trim() || null,
          },
          { ifMatch: order },
        ),
      ),
  )
  const submit = async () => {
    if (!(await form.submit())) return
    await renew()
    toast(words.deliveryStatus[form.values.status as Delivery['status']])
    onClose()
  }
  return (
    <Dialog
      title={waits ? words.ship : words.updateDelivery}
      onClose={onClose}
      onSubmit={submit}
      footer={<Buttons act={waits ? words.ship : words.updateDelivery} busy={form.busy} onClose={onClose} />}
    >
      <Problem error={form.error} shown={['status', 'shipping_carrier', 'tracking_number']} />
      <SelectField
        label={words.newStatus}
        choices={Object.entries(words.deliveryStatus).map(([value, label]) => ({ value, label }))}
        {...form.field('status')}
      />
      <SelectField label={words.carrier} choices={carriers} {...form.field('shipping_carrier')} />
      <TextField label={words.tracking} dir="ltr" maxLength={255} {...form.field('tracking_number')} />
    </Dialog>
  )
}

export const SplitDialog = ({ order, delivery, onClose }: ActProps & { delivery: Delivery }) => {
  const { orders: words } = useMessages()
  const { client } = useStore()
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  const [chosen, setChosen] = useState<Chosen>({})
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async () => {
    const variants = chosenLines(chosen)
    if (variants.length === 0) return setError(new Error(words.nothingChosen))
    setBusy(true)
    try {
      await attempt(() =>
        client.orders.splitDelivery(order.id, { delivery_id: delivery.id, variants }, { ifMatch: order }),
      )
      await renew()
      toast(words.splitDone)
      onClose()
    } catch (error) {
      setError(error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={words.split}
      onClose={onClose}
      onSubmit={submit}
      footer={<Buttons act={words.split} busy={busy} onClose={onClose} />}
    >
      <p>{words.splitHelp}</p>
      <Problem error={error} />
      <LineChooser
        lines={delivery.order_variants}
        most={({ quantity }) => quantity}
        chosen={chosen}
        onChange={setChosen}
      />
    </Dialog>
  )
}

const amountOf = (order: Order, chosen: Chosen) =>
  Math.round(order.variants.reduce((sum, { id, price }) => sum + price * (chosen[id] ?? 0), 0) * 1000) / 1000

/** Return and refund in one dialog: two calls. If the second fails, it can be retried alone. */
export const ReturnDialog = ({ order, onClose }: ActProps) => {
  const { orders: words, controls } = useMessages()
  const { locale } = useWords()
  const { client, can } = useStore()
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  const [chosen, setChosen] = useState<Chosen>({})
  const [restock, setRestock] = useState(true)
  const [refund, setRefund] = useState(order.status === 'paid')
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState<string>()
  const [returned, setReturned] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const keys = useRef({ return: crypto.randomUUID(), refund: crypto.randomUUID() })
  const back = returnedUnits(order)
  const amount = typed === undefined ? amountOf(order, chosen) : Number(typed.replace(',', '.'))
  const variants = chosenLines(chosen)
  const units = variants.reduce((sum, { quantity }) => sum + quantity, 0)

  const submit = async () => {
    if (variants.length === 0) return setError(new Error(words.nothingChosen))
    setBusy(true)
    setError(undefined)
    let id = returned
    let version: object = order
    try {
      if (!id) {
        const body = { reason: reason || null, variants: variants.map((line) => ({ ...line, restock })) }
        const options = { idempotencyKey: keys.current.return, ifMatch: version }
        version = await attempt(() => client.orders.return(order.id, body, options))
        id = (version as { id: string }).id
        setReturned(id)
      }
      if (refund) {
        const body = { amount, reason: reason || null, return_id: id, variants }
        const options = { idempotencyKey: keys.current.refund, ifMatch: version }
        await attempt(() => client.orders.refund(order.id, body, options))
      }
      await renew()
      toast(words.returned)
      onClose()
    } catch (error) {
      const { message } = describeError(error)
      keys.current = { return: keys.current.return, refund: crypto.randomUUID() }
      if (!id) keys.current.return = crypto.randomUUID()
      setError(id ? new Error(`${words.returnedNotRefunded} ${message}`) : error)
      setBusy(false)
      await renew()
    }
  }
  const money = formatMoney(locale, Number.isFinite(amount) ? amount : 0, order.currency)
  if (!returned && order.variants.every(({ id, quantity }) => quantity <= (back.get(id) ?? 0)))
    return (
      <Dialog title={words.return} onClose={onClose} footer={<Button onClick={onClose}>{controls.close}</Button>}>
        <p>{words.nothingLeft}</p>
      </Dialog>
    )
  return (
    <Dialog
      title={words.return}
      onClose={onClose}
      onSubmit={submit}
      footer={<Buttons act={returned ? words.refund : words.return} busy={busy} onClose={onClose} />}
    >
      <p>{words.returnHelp}</p>
      <Problem error={error} shown={['amount']} />
      <LineChooser
        lines={order.variants}
        most={({ id, quantity }) => (returned ? 0 : quantity - (back.get(id) ?? 0))}
        chosen={chosen}
        onChange={setChosen}
      />
      <TextField
        label={words.reason}
        value={reason}
        maxLength={2000}
        onChange={({ target }) => setReason(target.value)}
      />
      <CheckField label={words.restock} checked={restock} disabled={returned !== undefined} onChange={setRestock} />
      {can('order:update') && <CheckField label={words.alsoRefund} checked={refund} onChange={setRefund} />}
      {refund && (
        <TextField
          label={`${words.amount} (${order.currency})`}
          inputMode="decimal"
          dir="ltr"
          value={typed ?? String(amount)}
          errors={describeError(error).fields.amount}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      {units > 0 && (
        <p>
          {!returned && words.returnSentence(words.count(units), restock)} {refund && words.refundSentence(money)}
        </p>
      )}
    </Dialog>
  )
}

export const RefundDialog = ({ order, onClose }: ActProps) => {
  const { orders: words } = useMessages()
  const { locale } = useWords()
  const { client } = useStore()
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  const [chosen, setChosen] = useState<Chosen>({})
  const [typed, setTyped] = useState<string>()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const before = refundedUnits(order)
  const amount = typed === undefined ? amountOf(order, chosen) : Number(typed.replace(',', '.'))
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const variants = chosenLines(chosen)
      const lines = variants.length > 0 ? { variants } : {}
      const body = { amount, status: 'refunded' as const, reason: reason || null, ...lines }
      await attempt(() => client.orders.refund(order.id, body, { ifMatch: order }))
      await renew()
      toast(words.refunded)
      onClose()
    } catch (error) {
      setError(error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={words.refund}
      onClose={onClose}
      onSubmit={submit}
      footer={<Buttons act={words.refund} busy={busy} onClose={onClose} />}
    >
      <p>{words.refundHelp}</p>
      <Problem error={error} shown={['amount']} />
      <LineChooser
        lines={order.variants}
        most={({ id, quantity }) => quantity - (before.get(id) ?? 0)}
        chosen={chosen}
        onChange={setChosen}
      />
      <TextField
        label={`${words.amount} (${order.currency})`}
        inputMode="decimal"
        dir="ltr"
        value={typed ?? String(amount)}
        errors={describeError(error).fields.amount}
        onChange={({ target }) => setTyped(target.value)}
      />
      <TextField
        label={words.reason}
        value={reason}
        maxLength={2000}
        onChange={({ target }) => setReason(target.value)}
      />
      {amount > 0 && <p>{words.refundSentence(formatMoney(locale, amount, order.currency))}</p>}
    </Dialog>
  )
}
