import { expect, test } from 'vitest'
import type { ApiError } from '../../errors.ts'
import { readCredentials } from './credentials.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const read = (body: Parameters<typeof readCredentials>[0], authorization?: string) => {
  try {
    return readCredentials(body, authorization)
  } catch (error) {
    return (error as ApiError).fields
  }
}

const REQUIRED = 'is required, in the body or as Basic credentials'
const LENGTH = 'must be a string of 1 to 255 characters'
const SHOP = { clientId: 'shop', clientSecret: 'secret' }

test('credentials come from the body, from HTTP Basic, or from both if they are the same', () => {
  expect(read({ client_id: 'shop', client_secret: 'secret' })).toEqual(SHOP)
  expect(read({}, basic('shop:secret'))).toEqual(SHOP)
  expect(read({ client_id: 'shop' }, basic('shop:secret'))).toEqual(SHOP)
  expect(read({ client_id: 'shop', client_secret: 'secret' }, basic('shop:secret'))).toEqual(SHOP)
  expect(read({}, basic('shop:with:colons'))).toEqual({ clientId: 'shop', clientSecret: 'with:colons' })
  expect(read({ client_secret: 'secret' }, basic('shop'))).toEqual(SHOP)
})

test('both that differ, and what is missing, are refused by field', () => {
  const differs = 'differs from the Basic credentials'
  expect(read({ client_id: 'other', client_secret: 'other' }, basic('shop:secret'))).toEqual({
    client_id: [differs],
    client_secret: [differs],
  })
  expect(read({})).toEqual({ client_id: [REQUIRED], client_secret: [REQUIRED] })
  expect(read({ client_id: 'shop' })).toEqual({ client_secret: [REQUIRED] })
  expect(read({}, basic('shop'))).toEqual({ client_secret: [REQUIRED] })
  expect(read({}, basic(':secret'))).toEqual({ client_id: [REQUIRED] })
})

test('the scheme is Basic in any case, and the whole header', () => {
  const encoded = Buffer.from('shop:secret').toString('base64')
  expect(read({}, `basic   ${encoded}`)).toEqual(SHOP)
  expect(read({}, `Basic ${Buffer.from('shop:secret!').toString('base64')}`)).toEqual({
    ...SHOP,
    clientSecret: 'secret!',
  })
  // Padded with one and with two signs.
  expect(read({}, basic('shop:ab'))).toEqual({ ...SHOP, clientSecret: 'ab' })
  expect(read({}, basic('shop:abc'))).toEqual({ ...SHOP, clientSecret: 'abc' })
  const nobody = { client_id: [REQUIRED], client_secret: [REQUIRED] }
  for (const header of [
    `Bearer ${encoded}`,
    `Basic${encoded}`,
    `${encoded} Basic`,
    `x Basic ${encoded}`,
    `Basic ${encoded} x`,
    'Basic ',
  ])
    expect(read({}, header)).toEqual(nobody)
})

test('both have 1 to 255 characters without a null character', () => {
  const long = 'a'.repeat(255)
  expect(read({ client_id: long, client_secret: long })).toEqual({ clientId: long, clientSecret: long })
  expect(read({ client_id: `${long}a`, client_secret: 'secret' })).toEqual({ client_id: [LENGTH] })
  expect(read({}, basic(`shop:${long}a`))).toEqual({ client_secret: [LENGTH] })
  expect(read({}, basic('sh\0op:secret'))).toEqual({ client_id: [LENGTH] })
})
