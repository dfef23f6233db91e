import { useRef, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { describeError } from '../../components/describe-error.ts'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import type { Added } from './added-lines.ts'
import { CONTACT_FIELDS, type Contact, contactBody, NO_CONTACT } from './contact-fields.ts'
import { useEditWords } from './edit-words.ts'
import type { Order } from './labels.ts'
import { numeric } from './line-totals.ts'

const NO_CHARGES = {
  shipping_rate: '',
  shipping_name: '',
  discount: '',
  discount_code: '',
  payment_method_id: '',
  status: 'pending',
}
type Charges = typeof NO_CHARGES

/** All as typed. */
export type NewOrderValues = Contact & Charges & { lines: readonly Added[]; note: string }

const EMPTY: NewOrderValues = { ...NO_CONTACT, ...NO_CHARGES, lines: [], note: '' }

const given = <Value>(name: keyof Charges, text: string, value: (text: string) => Value) =>
  text.trim() === '' ? {} : { [name]: value(text.trim()) }

const bodyOf = (values: NewOrderValues) => ({
  ...contactBody(Object.fromEntries(CONTACT_FIELDS.map((name) => [name, values[name]]))),
  ...given('shipping_rate', values.shipping_rate, numeric),
  ...given('shipping_name', values.shipping_name, String),
  ...given('discount', values.discount, numeric),
  ...given('discount_code', values.discount_code, String),
  ...given('payment_method_id', values.payment_method_id, String),
  status: values.status as Order['status'],
  variants: values.lines.map(({ found, quantity, price }) => ({
    variant_id: found.variant.id,
    quantity: numeric(quantity),
    ...(price !== String(found.variant.price) && { price: numeric(price) }),
  })),
})

/** An order as somebody fills it in. It is created once, and its note is added to it once, however often they are sent. */
export const useNewOrder = () => {
  const words = useEditWords()
  const messages = useMessages()
  const { client } = useStore()
  /** The order, once there is one: then only its note may be missing. */
  const [created, setCreated] = useState<{ order: Order; isAsSentFirst: boolean }>()
  const made = useRef<typeof created>(undefined)
  /** The variants of the last attempt, which its errors count. */
  const sent = useRef<readonly string[]>([])
  const isAsSentFirst = useRef(false)
  const create = useCreate(
    (body: ReturnType<typeof bodyOf>, options) => client.orders.create(body, options),
    async (order: Order) => {
      isAsSentFirst.current = true
      return order
    },
  )
  const addNote = useCreate((body: { id: string; text: string }, options) =>
    client.orders.createOrderNote(body.id, { text: body.text }, options),
  )
  const form = useForm<NewOrderValues, never>(EMPTY, async (_changes, values) => {
    if (!made.current) {
      if (values.lines.length === 0) throw new Error(words.noItems)
      sent.current = values.lines.map(({ found }) => found.variant.id)
      const order = await create(bodyOf(values))
      made.current = { order, isAsSentFirst: isAsSentFirst.current }
    }
    const { order } = made.current
    try {
      if (values.note.trim() !== '') await addNote({ id: order.id, text: values.note.trim() })
    } catch (error) {
      setCreated(made.current)
      throw error
    }
  })
  const { fields } = describeError(form.error ?? new Error(), messages)
  return {
    form,
    created,
    /** What was created by the last attempt that succeeded. */
    made,
    fields,
    errorsOf: (variant: string, field: 'quantity' | 'price') => {
      const place = sent.current.indexOf(variant)
      const names = field === 'quantity' ? ['quantity', 'variant_id'] : [field]
      return place < 0 ? undefined : names.flatMap((name) => fields[`variants.${place}.${name}`] ?? [])
    },
  }
}
