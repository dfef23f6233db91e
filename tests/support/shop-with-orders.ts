import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createCarrier } from '../../src/resources/carriers/create-carrier.ts'
import { startTestApi } from './api.ts'
import { addProduct } from './products.ts'

export interface Line {
  id: string
  quantity: number
  title: string
}

/** A store with two physical products, a digital one, a carrier, and orders of all of them. */
export const startShopWithOrders = async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { title: 'Mug', price: 12.5, quantity: 100 })
  const hat = await addProduct(api, { title: 'Hat', price: 30, quantity: 100 })
  const book = await addProduct(api, { title: 'Book', price: 5, is_digital: true })
  /** Two mugs, three hats and a digital book, paid: 25 + 90 + 5 and 7 for shipping. */
  const sell = async (more: object = {}) => {
    const variants = [
      { variant_id: mug.variant, quantity: 2 },
      { variant_id: hat.variant, quantity: 3 },
      { variant_id: book.variant, quantity: 1 },
    ]
    const reply = await all.post('/order', { status: 'paid', shipping_rate: 7, variants, ...more })
    expect(reply.status, reply.text).toBe(201)
    const order = reply.body.data.order
    const line = (title: string) => order.variants.find((line: Line) => line.title === title).id as string
    return { ...order, mugs: line('Mug'), hats: line('Hat'), books: line('Book'), parcel: order.deliveries[0]?.id }
  }
  const look = async (id: string) => (await all.get(`/order/${id}`)).body.data.order
  const carrier = await createCarrier(api.db, api.store.id, {
    name: 'Swift',
    code: randomUUID(),
    tracking_url: 'https://swift.example/t?n={tracking_number}&lang=fr',
  })
  return { api, all, mug, hat, book, sell, look, carrier }
}
