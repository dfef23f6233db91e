import { randomUUID } from 'node:crypto'
import { form, picture } from '../support/uploads.ts'
import type { Answer, Shop, ShopCaller } from './seeded-shop.ts'

type WriteKind = 'customer' | 'order' | 'product' | 'file' | 'delivery'

/** A write that can be retried with the same key, and its outcome. */
export interface Write {
  kind: WriteKind
  /** Its Idempotency-Key, which is also stored in the row. */
  key: string
  send: (caller: ShopCaller) => Promise<Answer>
  acknowledged: boolean
}

const colour = () => `#${randomUUID().slice(0, 6)}`

/** Generates writes of every kind in turn. Deliveries belong to acknowledged orders. */
export const createWrites = ({ mug, hat }: Shop) => {
  const parcels: string[] = []
  const all: Write[] = []
  let turn = 0

  const kinds: Record<WriteKind, (key: string) => Promise<Write['send'] | undefined>> = {
    customer: async (key) => (caller) =>
      caller.post('/customer', { email: `${key}@example.com` }, { 'idempotency-key': key }),
    order: async (key) => {
      const buyer = `buyer${turn % 4}@example.com`
      const variants = [
        { variant_id: mug.variant, quantity: 1 + (turn % 3) },
        { variant_id: hat.variant, quantity: 2 },
      ]
      return async (caller) => {
        const order = { customer_email: buyer, status: 'paid', meta_data: { key }, variants }
        const answer = await caller.post('/order', order, { 'idempotency-key': key })
        if (answer.status === 201) parcels.push(answer.body.data.order.deliveries[0].id)
        return answer
      }
    },
    product: async (key) => {
      const image = { name: `${key}.png`, bytes: await picture('png', { colour: colour() }) }
      const metadata = JSON.stringify({ title: key, default: { price: 5, quantity: 3 } })
      return (caller) => caller.post('/product', form({ metadata, 'images[]': image }), { 'idempotency-key': key })
    },
    file: async (key) => {
      const bytes = Buffer.alloc(100_000 + (turn % 7) * 50_000, key)
      return (caller) => caller.post('/file', form({ file: { name: key, bytes } }), { 'idempotency-key': key })
    },
    delivery: async (key) => {
      const parcel = parcels.shift()
      if (!parcel) return undefined
      return (caller) => caller.put(`/order/delivery/${parcel}`, { status: 'shipped' }, { 'idempotency-key': key })
    },
  }

  const next = async (): Promise<Write> => {
    const names = Object.keys(kinds) as WriteKind[]
    for (;;) {
      const kind = names[turn++ % names.length] as WriteKind
      const key = `${kind}-${randomUUID()}`
      const send = await kinds[kind](key)
      if (!send) continue
      const deed = { kind, key, send, acknowledged: false }
      all.push(deed)
      return deed
    }
  }
  return { all, next }
}
