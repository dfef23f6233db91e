import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { describeError } from '../../components/describe-error.ts'
import { FormDialog } from '../../components/FormDialog.tsx'
import { formatMoney, Money } from '../../components/Money.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { variantsOf } from '../products/labels.ts'
import { useRenewOrder } from './actions.tsx'
import { type Added, addFound, editedLine } from './added-lines.ts'
import { useEditWords } from './edit-words.ts'
import { type EditedLine, LineEditor } from './LineEditor.tsx'
import { type Line, type Order, optionText } from './labels.ts'
import { numeric, previewTotals } from './line-totals.ts'
import styles from './OrderForm.module.css'
import { stockOf } from './VariantFinder.tsx'

/** `quantity:ID` and `price:ID` of each line as typed, and what is added. A quantity of 0 takes the line out. */
type Values = Record<string, string | readonly Added[]>

const NONE: readonly Added[] = []
const TAKEN_OUT = '0'

const valuesOf = ({ variants }: Order): Values => ({
  ...Object.fromEntries(
    variants.flatMap(({ id, quantity, price }) => [
      [`quantity:${id}`, String(quantity)],
      [`price:${id}`, String(price)],
    ]),
  ),
  added: NONE,
})

/** The stock of what the order has, by variant. */
const useStock = (lines: readonly Line[]) => {
  const { store, client, can } = useStore()
  const products = [...new Set(lines.flatMap(({ variant }) => variant?.product_id ?? []))].sort()
  const { data } = useQuery({
    queryKey: [store.id, 'products', 'stock', products.join()],
    enabled: can('product:view'),
    queryFn: async ({ signal }) => {
      // One that cannot be read is shown without its stock.
      const found = await Promise.allSettled(products.map((id) => client.products.get(id, { signal })))
      return new Map(
        found.flatMap((result) =>
          result.status === 'rejected'
            ? []
            : variantsOf(result.value).map((variant) => [variant.id, stockOf(result.value, variant)] as const),
        ),
      )
    },
  })
  return data
}

/** Changes what is ordered, as long as nothing was sent: the total and the stock are shown as they will be. */
const LinesDialog = ({ order: newest, onClose }: { order: Order; onClose: () => void }) => {
  const words = useEditWords()
  const messages = useMessages()
  const { locale } = useWords()
  const { client } = useStore()
  // As it was when the dialog was opened, or after a lost race the newest version.
  const [order, setOrder] = useState(newest)
  const version = useRef(order)
  const renew = useRenewOrder()
  const toast = useToast()
  const save = useCreate((body: Parameters<typeof client.orders.updateOrderLines>[1], options) =>
    client.orders.updateOrderLines(order.id, body, { ...options, ifMatch: version.current }),
  )
  const text = (values: Values, name: string) => values[name] as string
  const bodyOf = (values: Values, { variants }: Order) => {
    const kept = variants.flatMap(({ id, price }) => {
      const quantity = text(values, `quantity:${id}`)
      if (quantity === TAKEN_OUT) return []
      const typed = text(values, `price:${id}`)
      return [{ id, quantity: numeric(quantity), ...(typed !== String(price) && { price: numeric(typed) }) }]
    })
    const added = (values.added as readonly Added[]).map(({ found, quantity, price }) => ({
      variant_id: found.variant.id,
      quantity: numeric(quantity),
      ...(price !== String(found.variant.price) && { price: numeric(price) }),
    }))
    return { variants: [...kept, ...added] }
  }
  /** The lines of the last attempt, which its errors count. */
  const sent = useRef<readonly string[]>([])
  const form = useForm<Values, Order>(
    valuesOf(order),
    async (_changes, values, newest) => {
      version.current = newest ?? order
      const body = bodyOf(values, version.current)
      if (body.variants.length === 0) throw new Error(words.noItems)
      sent.current = body.variants.map((line) => ('id' in line ? line.id : line.variant_id))
      await save(body)
    },
    {
      read: async () => {
        const read = await client.orders.get(order.id)
        setOrder(read)
        return read
      },
      valuesOf,
    },
  )
  const { fields } = describeError(form.error ?? new Error(), messages)
  const errorsOf = (key: string, field: string) => {
    const place = sent.current.indexOf(key)
    const own = field === 'quantity' ? ['id', 'variant_id'] : []
    return place < 0 ? undefined : [field, ...own].flatMap((name) => fields[`variants.${place}.${name}`] ?? [])
  }
  const stock = useStock(order.variants)
  const stored = order.variants.map((line): EditedLine => {
    const quantity = form.field(`quantity:${line.id}`)
    return {
      key: line.id,
      title: line.title,
      detail: optionText(line),
      sku: line.sku,
      image: line.image_url,
      held: line.quantity,
      stock: line.variant ? stock?.get(line.variant.id) : undefined,
      isTakenOut: quantity.value === TAKEN_OUT,
      quantity: { ...quantity, errors: errorsOf(line.id, 'quantity') },
      price: { ...form.field(`price:${line.id}`), errors: errorsOf(line.id, 'price') },
    }
  })
  const added = form.values.added as readonly Added[]
  const lines = [
    ...stored,
    ...added.map((line, place) =>
      editedLine(
        line,
        (changes) => form.set({ added: added.map((other, n) => (n === place ? { ...other, ...changes } : other)) }),
        (field) => errorsOf(line.found.variant.id, field),
      ),
    ),
  ]
  const totals = previewTotals(
    lines
      .filter(({ isTakenOut }) => !isTakenOut)
      .map(({ quantity, price }) => ({ quantity: quantity.value, price: price.value })),
    order,
  )
  return (
    <FormDialog
      wide
      title={words.editLines}
      act={messages.controls.save}
      form={form}
      shown={Object.keys(fields).filter((name) => /^variants\.\d+\.(quantity|price|id|variant_id)$/.test(name))}
      onDone={async () => {
        await renew()
        toast(words.linesSaved)
      }}
      onClose={onClose}
      onReload={() => renew().then(onClose)}
    >
      <p>{words.linesHelp}</p>
      <LineEditor
        lines={lines}
        currency={order.currency}
        onAdd={(found) => {
          const known = order.variants.find(({ variant }) => variant?.id === found.variant.id)
          const name = `quantity:${known?.id}`
          const units = known && Number(text(form.values, name))
          if (units !== undefined && Number.isInteger(units)) form.set({ [name]: String(units + 1) })
          else form.set({ added: addFound(added, found) })
        }}
        onRemove={(key) =>
          added.some(({ found }) => found.variant.id === key)
            ? form.set({ added: added.filter(({ found }) => found.variant.id !== key) })
            : form.set({ [`quantity:${key}`]: TAKEN_OUT })
        }
        onKeep={(key) =>
          form.set({ [`quantity:${key}`]: String(order.variants.find(({ id }) => id === key)?.quantity) })
        }
      />
      <div className={styles.totals} role="status">
        <strong>
          {words.total}: <Money amount={totals.total} currency={order.currency} />
        </strong>
        {totals.total !== order.total && (
          <small>{words.totalBefore(formatMoney(locale, order.total, order.currency))}</small>
        )}
        <small>{words.chargesKept}</small>
      </div>
    </FormDialog>
  )
}

export default LinesDialog
