import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'

const APOSTROPHES = ["'", '’', '‘', '‛', 'ʼ', 'ʻ', '′', '`', '＇']

const startShopWithApostrophes = async () => {
  const api = await startTestApi()
  const all = await api.as()
  for (const [n, mark] of APOSTROPHES.entries()) {
    await all.post('/product', { title: `Huile d${mark}olive`, description: `O${mark}Hara ${n}` })
    await all.post('/customer', { name: `Sinead O${mark}Connor`, email: `s${n}@shop.example` })
    await all.post('/order', { customer_last_name: `O${mark}Connor`, customer_address: `Rue d${mark}Alger` })
  }
  return api
}

let api: TestApi
beforeAll(async () => {
  api = await startShopWithApostrophes()
})

/** How many each search finds, by the apostrophe it is typed with. */
const found = async () => {
  const all = await api.as()
  const total = async (path: string, words: string) =>
    (await all.get(`/${path}?search=${encodeURIComponent(words)}`)).body.data.pagination.total
  return Promise.all(
    APOSTROPHES.map(async (mark) => [
      await total('product', `d${mark}olive`),
      await total('product', `o${mark}hara`),
      await total('customer', `o${mark}connor`),
      await total('order', `O${mark}Connor`),
      await total('order', `d${mark}al`),
    ]),
  )
}

const EVERY = APOSTROPHES.map(() => Array(5).fill(APOSTROPHES.length))

test('search treats every apostrophe alike, in products, customers and orders', async () => {
  expect(await found()).toEqual(EVERY)
})
