import { createHmac, randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import type { TokenClaims } from '../../core/http/access.ts'
import { createAccessTokens } from './access-tokens.ts'

const KEY = randomBytes(32)
const inSeconds = (seconds: number) => Date.now() / 1000 + seconds
const claims = (given: Partial<TokenClaims> = {}): TokenClaims => ({
  appId: 'app',
  generation: 3,
  installId: undefined,
  account: undefined,
  grant: undefined,
  expires: Math.floor(inSeconds(60)),
  ...given,
})
const codeOf = async (verify: () => unknown) => {
  try {
    await verify()
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'valid'
}
const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

test('a token says what it was signed with, at every node with the key', async () => {
  const tokens = createAccessTokens(KEY)
  for (const given of [
    claims(),
    claims({ installId: 'install' }),
    claims({ account: { id: 'account', generation: 7 } }),
    claims({ installId: 'install', grant: 'grant' }),
  ])
    expect(await createAccessTokens(KEY).verify(tokens.sign(given))).toEqual(given)
})

test('a token is a JWT of this service', () => {
  const now = Math.floor(Date.now() / 1000)
  const token = createAccessTokens(KEY).sign(claims())
  const [header, payload] = partsOf(token)
  expect(header).toEqual({ alg: 'HS256' })
  expect(payload).toMatchObject({ iss: 'storefront-apps', sub: 'app', gen: 3 })
  expect(payload.iat - now).toBeLessThanOrEqual(5)
  expect(payload.iat).toBeGreaterThanOrEqual(now)
  const [signed, signature] = [token.slice(0, token.lastIndexOf('.')), token.split('.')[2]]
  expect(signature).toBe(createHmac('sha256', KEY).update(signed).digest('base64url'))
})

test('a token that was seen before is verified at once, until it expires', async () => {
  const tokens = createAccessTokens(KEY)
  const given = claims({ expires: inSeconds(60) })
  const token = tokens.sign(given)
  expect(tokens.verify(token)).toBeInstanceOf(Promise)
  await tokens.verify(token)
  expect(tokens.verify(token)).toEqual(given)
  const later = vi.spyOn(Date, 'now').mockReturnValue(given.expires * 1000)
  expect(await codeOf(() => tokens.verify(token))).toBe('token_expired')
  later.mockReturnValue(given.expires * 1000 - 1)
  expect(tokens.verify(token)).toEqual(given)
  later.mockRestore()
})

test('an expired token is refused, to the part of a second', async () => {
  const tokens = createAccessTokens(KEY)
  const check = (expires: number) => codeOf(() => tokens.verify(tokens.sign(claims({ expires }))))
  expect(await check(inSeconds(-60))).toBe('token_expired')
  const whole = Math.floor(Date.now() / 1000) + 0.999
  const now = vi.spyOn(Date, 'now').mockReturnValue((whole + 0.0005) * 1000)
  expect(await check(whole)).toBe('token_expired')
  now.mockRestore()
})

test('a token that another key, another service or another algorithm has signed is refused', async () => {
  const tokens = createAccessTokens(KEY)
  const refusal = async (token: string) => {
    try {
      return await tokens.verify(token)
    } catch (error) {
      const { code, message, cause } = error as Error & { code: string }
      expect(cause).toBeInstanceOf(Error)
      return [code, message]
    }
  }
  const refused = ['unauthenticated', 'The access token is not valid.']
  const sign = (payload: Record<string, unknown>, alg = 'HS256') =>
    new SignJWT({ iss: 'storefront-apps', sub: 'app', gen: 3, exp: inSeconds(60), ...payload })
      .setProtectedHeader({ alg })
      .sign(alg === 'HS256' ? KEY : Buffer.concat([KEY, KEY]))
  expect(await codeOf(async () => tokens.verify(await sign({})))).toBe('valid')
  expect(await refusal(createAccessTokens(randomBytes(32)).sign(claims()))).toEqual(refused)
  expect(await refusal(await sign({ iss: 'another' }))).toEqual(refused)
  for (const missing of ['sub', 'gen', 'exp'])
    expect(await refusal(await sign({ [missing]: undefined }))).toEqual(refused)
  expect(await refusal('a.b.c')).toEqual(refused)
  const long = createAccessTokens(Buffer.concat([KEY, KEY]))
  expect(await codeOf(async () => long.verify(await sign({}, 'HS512')))).toBe('unauthenticated')
})
