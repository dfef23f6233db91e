import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError } from '../../../../client/src/errors.ts'
import { parseNumber } from '../../../../src/core/input/parse-number.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { CheckField, SelectField, TextField } from '../../components/Field.tsx'
import { formatMoney } from '../../components/Money.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { type Chosen, chosenLines, LineChooser } from './LineChooser.tsx'
import { type Delivery, isUnconfirmed, type Order, refundedUnits, returnedUnits } from './labels.ts'
import styles from './OrderForm.module.css'
import { useCarriers } from './useCarriers.ts'
import { useSettings } from './useSettings.ts'
import { useOrderWords } from './words.ts'

type RefundBody = Parameters<Client['orders']['refund']>[1]

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
  const words = useOrderWords()
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

/** Sends what a dialog asks for and closes it; if that fails, the dialog stays, with its error. */
const useSend = (onClose: () => void) => {
  const renew = useRenewOrder()
  const attempt = useAttempt()
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const send = async (act: () => Promise<unknown>, done: string) => {
    setBusy(true)
    setError(undefined)
    try {
      await attempt(act)
      await renew()
      toast(done)
      onClose()
    } catch (error) {
      setError(error)
      setBusy(false)
    }
  }
  return { busy, error, setError, send }
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
  const words = useOrderWords()
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
      {waits && isUnconfirmed(order) && <p className={styles.warning}>{words.desk.unconfirmed}</p>}
      <SelectField
        label={words.newStatus}
        choices={Object.entries(words.deliveryStatus).map(([value, label]) => ({ value, label }))}
        {...form.field('status')}
      />
      <SelectField label={words.carrier} choices={carriers} {...form.field('shipping_carrier')} />
      <TextField label={words.tracking} dir="ltr" maxLength={255} {...form.field('tracking_number')} />
      <Problem error={form.error} shown={['status', 'shipping_carrier', 'tracking_number']} />
    </Dialog>
  )
}

export const SplitDialog = ({ order, delivery, onClose }: ActProps & { delivery: Delivery }) => {
  const words = useOrderWords()
  const { client } = useStore()
  const { busy, error, setError, send } = useSend(onClose)
  const [chosen, setChosen] = useState<Chosen>({})
  const split = useCreate((body: Parameters<typeof client.orders.splitDelivery>[1], options) =>
    client.orders.splitDelivery(order.id, body, { ...options, ifMatch: order }),
  )
  const submit = async () => {
    const variants = chosenLines(chosen)
    if (variants.length === 0) return setError(new Error(words.nothingChosen))
    await send(() => split({ delivery_id: delivery.id, variants }), words.splitDone)
  }
  return (
    <Dialog
      title={words.split}
      onClose={onClose}
      onSubmit={submit}
      footer={<Buttons act={words.split} busy={busy} onClose={onClose} />}
    >
      <p>{words.splitHelp}</p>
      <LineChooser
        lines={delivery.order_variants}
        most={({ quantity }) => quantity}
        chosen={chosen}
        onChange={setChosen}
      />
      <Problem error={error} />
    </Dialog>
  )
}

const amountOf = (order: Order, chosen: Chosen) =>
  Math.round(order.variants.reduce((sum, { id, price }) => sum + price * (chosen[id] ?? 0), 0) * 1000) / 1000

/** Return and refund in one dialog: two calls. If the second fails, it can be retried alone. */
export const ReturnDialog = ({ order, onClose }: ActProps) => {
  const messages = useMessages()
  const words = useOrderWords()
  const { controls } = messages
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
  const record = useCreate((body: Parameters<typeof client.orders.return>[1], options) =>
    client.orders.return(order.id, body, { ...options, ifMatch: order }),
  )
  /** The order as the refund sees it: after the return. */
  const version = useRef<object>(order)
  const giveBack = useCreate((body: RefundBody, options) =>
    client.orders.refund(order.id, body, { ...options, ifMatch: version.current }),
  )
  const { data: settings } = useSettings()
  const back = returnedUnits(order)
  // As it was when the dialog was opened: a return whose answer was lost is on the page behind it before it is sent again.
  const [isNothingLeft] = useState(order.variants.every(({ id, quantity }) => quantity <= (back.get(id) ?? 0)))
  const amount = typed === undefined ? amountOf(order, chosen) : Number(parseNumber(typed))
  const variants = chosenLines(chosen)
  const units = variants.reduce((sum, { quantity }) => sum + quantity, 0)

  const submit = async () => {
    if (variants.length === 0) return setError(new Error(words.nothingChosen))
    setBusy(true)
    setError(undefined)
    let id = returned
    version.current = order
    try {
      if (!id) {
        const body = { reason: reason || null, variants: variants.map((line) => ({ ...line, restock })) }
        const made = await attempt(() => record(body))
        version.current = made
        id = made.id
        setReturned(id)
      }
      if (refund) await attempt(() => giveBack({ amount, reason: reason || null, return_id: id, variants }))
      await renew()
      toast(words.returned)
      onClose()
    } catch (error) {
      const { message } = describeError(error, messages)
      setError(id ? new Error(`${words.returnedNotRefunded} ${message}`) : error)
      setBusy(false)
      await renew()
    }
  }
  const money = formatMoney(locale, Number.isFinite(amount) ? amount : 0, order.currency)
  if (isNothingLeft)
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
      {restock && settings && (
        <p>{settings.order_desk.restock_on_receipt ? words.desk.restockLater : words.desk.restockNow}</p>
      )}
      {can('order:update') && <CheckField label={words.alsoRefund} checked={refund} onChange={setRefund} />}
      {refund && (
        <TextField
          label={`${words.amount} (${order.currency})`}
          inputMode="decimal"
          dir="ltr"
          value={typed ?? String(amount)}
          errors={describeError(error, messages).fields.amount}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      {units > 0 && (
        <p>
          {!returned && words.returnSentence(words.count(units), restock)} {refund && words.refundSentence(money)}
        </p>
      )}
      <Problem error={error} shown={['amount']} />
    </Dialog>
  )
}

export const RefundDialog = ({ order, onClose }: ActProps) => {
  const messages = useMessages()
  const words = useOrderWords()
  const { locale } = useWords()
  const { client } = useStore()
  const { busy, error, send } = useSend(onClose)
  const [chosen, setChosen] = useState<Chosen>({})
  const [typed, setTyped] = useState<string>()
  const [reason, setReason] = useState('')
  const giveBack = useCreate((body: RefundBody, options) =>
    client.orders.refund(order.id, body, { ...options, ifMatch: order }),
  )
  const before = refundedUnits(order)
  const amount = typed === undefined ? amountOf(order, chosen) : Number(parseNumber(typed))
  const submit = () => {
    const variants = chosenLines(chosen)
    const lines = variants.length > 0 ? { variants } : {}
    const body = { amount, status: 'refunded' as const, reason: reason || null, ...lines }
    return send(() => giveBack(body), words.refunded)
  }
  return (
    <Dialog
      title={words.refund}
      onClose={onClose}
      onSubmit={submit}
      footer={<Buttons act={words.refund} busy={busy} onClose={onClose} />}
    >
      <p>{words.refundHelp}</p>
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
        errors={describeError(error, messages).fields.amount}
        onChange={({ target }) => setTyped(target.value)}
      />
      <TextField
        label={words.reason}
        value={reason}
        maxLength={2000}
        onChange={({ target }) => setReason(target.value)}
      />
      {amount > 0 && <p>{words.refundSentence(formatMoney(locale, amount, order.currency))}</p>}
      <Problem error={error} shown={['amount']} />
    </Dialog>
  )
}
