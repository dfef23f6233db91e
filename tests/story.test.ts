import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createCarrier } from '../src/resources/carriers/create-carrier.ts'
import { PERMISSIONS } from '../src/resources/permissions/catalogue.ts'
import { startTestApi } from './support/api.ts'
import { temporaryFolder } from './support/server-process.ts'

test('the commands in docs/story.md run as written', async () => {
  const api = await startTestApi()
  await createCarrier(api.db, api.store.id, {
    name: 'Aramex',
    code: 'aramex',
    tracking_url: 'https://track.example/{tracking_number}',
  })
  const credentials = path.join(await temporaryFolder(), 'demo.json')
  const { install_id, client_id, client_secret } = await api.install(PERMISSIONS)
  await writeFile(credentials, JSON.stringify({ install_id, client_id, client_secret }))
  const story = await readFile('docs/story.md', 'utf8')
  const script = [...story.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code).join('\n')
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    env: { ...process.env, BASE: `${api.origin}/api/apps/v1`, CREDENTIALS: credentials },
  })
  expect(stdout).toMatch(/"tracking_link" ?: ?"https:\/\/track.example\/TN-42"/)
  expect(stdout).toContain('id,ref,status,currency,')
  expect(stdout).toContain('2 x Stoneware mug')

  const caller = await api.as('product:view', 'order:view', 'customer:view')
  const { products } = (await caller.get('/product')).body.data
  expect(products).toHaveLength(1)
  expect(products[0].variants.map(({ quantity }: { quantity: number }) => quantity)).toEqual([10, 8])
  expect(products[0].image.alt).toBe('A brown mug')
  const { orders } = (await caller.get('/order')).body.data
  expect(orders).toMatchObject([{ total: 56, status: 'paid', deliveries: [{ status: 'shipped' }] }])
  const { customers } = (await caller.get('/customer')).body.data
  expect(customers).toMatchObject([{ email: 'amina@example.com', order_count: 1, amount_spent: 56 }])
})
