import Fastify, {
  type FastifyContextConfig,
  type FastifyRequest,
  type InjectOptions,
  type RouteShorthandOptions,
} from 'fastify'
import { expect, test } from 'vitest'
import { ApiError } from '../../errors.ts'
import { isUuid } from '../input/uuid.ts'
import type { StoreId } from '../storage/store-id.ts'
import {
  type AccountRecord,
  type AppRecord,
  authorize,
  type GrantRecord,
  guardRoutes,
  type InstallationRecord,
  personOf,
  requirePermission,
  restrictToPerson,
  type TokenClaims,
} from './access.ts'
import { innerCalls } from './inner-calls.ts'
import { collectRoutes } from './route-table.ts'

/** Who may call which route, without the service around it: apps, installations and people are in memory. */

const HOME = '00000000-0000-4000-8000-00000000000a'
const ELSEWHERE = '00000000-0000-4000-8000-00000000000b'
const SUSPENDED = '00000000-0000-4000-8000-00000000000c'
const CONSOLE = '00000000-0000-4000-8000-00000000000d'
const CONSOLE_SUSPENDED = '00000000-0000-4000-8000-00000000000e'
const UNKNOWN = '00000000-0000-4000-8000-00000000000f'

const app = (id: string, given: Partial<AppRecord> = {}) =>
  ({ id, name: id, generation: 3, disabled: false, built_in: false, ...given }) as AppRecord
const installation = (id: string, app_id: string, given: Partial<InstallationRecord> = {}): InstallationRecord => ({
  ...{ id, app_id, store_id: 'store' as StoreId, is_suspended: false, limits: undefined },
  permissions: new Set(['order:view', 'order:update']),
  ...given,
})
const account = (id: string, given: Partial<AccountRecord> = {}): AccountRecord => ({
  ...{ id, name: id, generation: 1, disabled: false, everywhere: undefined },
  stores: new Map([['store', new Set(['order:view', 'product:view'])]]),
  ...given,
})

const startGuarded = async () => {
  const apps = new Map(
    [app('shop'), app('disabled', { disabled: true }), app('console', { built_in: true })].map((one) => [one.id, one]),
  )
  const installations = new Map(
    [
      installation(HOME, 'shop'),
      installation(ELSEWHERE, 'another'),
      installation(SUSPENDED, 'shop', { is_suspended: true }),
      installation(CONSOLE, 'console'),
      installation(CONSOLE_SUSPENDED, 'console', { is_suspended: true }),
    ].map((one) => [one.id, one]),
  )
  const accounts = new Map(
    [
      account('amel'),
      account('operator', { everywhere: new Set(['order:view', 'order:delete']) }),
      account('gone', { disabled: true }),
      account('stranger', { stores: new Map() }),
    ].map((one) => [one.id, one]),
  )
  const grants = new Map<string, GrantRecord>(
    [
      { id: 'assistant', account_id: 'amel', permissions: new Set(['order:view', 'order:update']) },
      { id: 'of a stranger', account_id: 'stranger', permissions: new Set(['order:view']) },
      { id: 'of nobody', account_id: 'unknown', permissions: new Set(['order:view']) },
      { id: 'of somebody gone', account_id: 'gone', permissions: new Set(['order:view']) },
      { id: 'unticked', account_id: 'amel', permissions: undefined },
      { id: 'service', account_id: null, permissions: undefined },
    ].map((one) => [one.id, one]),
  )
  const cache = {
    app: (id: string) => apps.get(id),
    installation: async (id: string) => {
      // PostgreSQL refuses the text of an id that is none.
      if (!isUuid(id)) throw new Error('invalid input syntax')
      return installations.get(id)
    },
    account: (id: string) => accounts.get(id),
    grant: async (id: string) => grants.get(id),
  }
  const verified: string[] = []
  const tokens = {
    verify: (token: string): TokenClaims => {
      verified.push(token)
      const claims = token.split('.')[1] as string
      if (claims === 'forged') throw new ApiError('unauthenticated', 'Forged.')
      return JSON.parse(Buffer.from(claims, 'base64url').toString())
    },
  }
  const state = { limited: false, calls: 0, isSignedIn: false, sessions: 0 }
  const server = Fastify()
  collectRoutes(server)
  server.decorateRequest('limitCall')
  server.addHook('onRequest', (request, _reply, done) => {
    request.limitCall = async () => {
      state.calls++
      if (state.limited) throw new ApiError('rate_limited')
    }
    done()
  })
  guardRoutes(server, cache, tokens, async () => {
    state.sessions++
    if (!state.isSignedIn) throw new ApiError('unauthenticated', 'No session.')
  })
  server.setErrorHandler((error: ApiError, _request, reply) =>
    reply.code(400).send({ code: error.code, message: error.message, permission: error.permission }),
  )
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ code: 'not_found' }))
  const seen: FastifyRequest[] = []
  const answer = (request: FastifyRequest) => {
    seen.push(request)
    return { code: 'served' }
  }
  server.get('/open', { config: { access: 'open' } }, answer)
  server.get('/app', { config: { access: 'app' } }, answer)
  server.get('/installation', { config: { access: 'installation' } }, answer)
  server.route({ method: ['GET', 'POST'], url: '/order', config: { permission: 'order:view' }, handler: answer })
  server.delete('/order', { config: { permission: 'order:delete' } }, answer)
  server.get('/account', { config: { access: 'account' } }, answer)
  server.get('/operator', { config: { access: 'operator' } }, answer)
  server.get('/stream', { config: { permission: 'order:view' } }, async (request) => {
    const before = state.calls
    await request.checkAgain()
    expect(state.calls).toBe(before)
    installations.delete(HOME)
    await request.checkAgain()
  })
  const call = async (url: string, headers: Record<string, string> = {}, method: InjectOptions['method'] = 'GET') => {
    const reply = await server.inject({ url, method, headers })
    return method === 'HEAD' ? { code: reply.statusCode } : reply.json()
  }
  const codeOf = async (...given: Parameters<typeof call>) => (await call(...given)).code
  /** What a route knows of its caller. */
  const callerOf = async (url: string, headers: Record<string, string>) => {
    expect(await call(url, headers)).toEqual({ code: 'served' })
    return seen.at(-1) as FastifyRequest
  }
  return { server, cache, tokens, state, verified, call, codeOf, callerOf, apps }
}

const tokenOf = (given: Partial<TokenClaims> = {}) => {
  const claims = { appId: 'shop', generation: 3, expires: 1_700_000_000, ...given }
  return `a.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c`
}
const bearing = (given: Partial<TokenClaims> = {}, install?: string) => ({
  authorization: `Bearer ${tokenOf(given)}`,
  ...(install !== undefined && { 'x-app-install-id': install }),
})
const inConsole = (id: string, install = CONSOLE, generation = 1) =>
  bearing({ appId: 'console', account: { id, generation } }, install)

test('a token is sent as Bearer, in any case, and nothing else counts', async () => {
  const { codeOf, verified } = await startGuarded()
  const token = tokenOf({ installId: HOME })
  for (const authorization of [`Bearer ${token}`, `bearer   ${token}`])
    expect(await codeOf('/order', { authorization })).toBe('served')
  expect(verified).toEqual([token, token])
  for (const authorization of [
    '',
    'Bearer',
    `Bearer${token}`,
    token,
    `x Bearer ${token}`,
    `Bearer ${token} x`,
    `Bearer ${token}.d`,
    'Bearer a.b',
    'Bearer a..c',
    'Bearer .b.c',
    'Bearer a.b.',
    `Basic ${token}`,
    'Bearer a b.c',
  ])
    expect(await codeOf('/order', { authorization })).toBe('unauthenticated')
  expect(await codeOf('/order')).toBe('unauthenticated')
  expect(verified).toHaveLength(2)
  expect(await codeOf('/order', { authorization: 'Bearer a.forged.c' })).toBe('unauthenticated')
})

test('the app of a token exists, is not disabled, and has revoked no tokens since', async () => {
  const { codeOf } = await startGuarded()
  expect(await codeOf('/order', bearing({ appId: 'unknown' }, HOME))).toBe('token_revoked')
  expect(await codeOf('/order', bearing({ appId: 'disabled' }, HOME))).toBe('token_revoked')
  expect(await codeOf('/order', bearing({ generation: 2 }, HOME))).toBe('token_revoked')
  expect(await codeOf('/order', bearing({}, HOME))).toBe('served')
})

test('a full access token names an installation of its app', async () => {
  const { codeOf, callerOf } = await startGuarded()
  expect(await codeOf('/order', bearing())).toBe('install_required')
  expect(await codeOf('/order', bearing({}, ''))).toBe('install_required')
  for (const other of ['home', UNKNOWN, ELSEWHERE, `${HOME}0`])
    expect(await codeOf('/order', bearing({}, other))).toBe('install_not_granted')
  const { caller, store } = await callerOf('/order', bearing({}, HOME.toUpperCase()))
  expect([caller.installation?.id, caller.boundTo, caller.expires, store]).toEqual([
    HOME,
    undefined,
    1_700_000_000,
    'store',
  ])
})

test('a restricted token is bound to its installation', async () => {
  const { codeOf, callerOf } = await startGuarded()
  for (const named of [undefined, '', HOME, HOME.toUpperCase()]) {
    const { caller } = await callerOf('/order', bearing({ installId: HOME }, named))
    expect([caller.installation?.id, caller.boundTo]).toEqual([HOME, HOME])
  }
  expect(await codeOf('/order', bearing({ installId: HOME }, SUSPENDED))).toBe('install_not_granted')
  expect(await codeOf('/order', bearing({ installId: UNKNOWN }))).toBe('install_not_granted')
})

test('a route for an app needs no installation, unless the token is bound to one', async () => {
  const { codeOf, callerOf, state } = await startGuarded()
  const { caller } = await callerOf('/app', bearing({}, 'anything'))
  expect([caller.app.id, caller.installation, state.calls]).toEqual(['shop', undefined, 0])
  expect((await callerOf('/app', bearing({ installId: HOME }))).caller.installation?.id).toBe(HOME)
  expect(await codeOf('/app', bearing({ installId: UNKNOWN }))).toBe('install_not_granted')
  expect(await codeOf('/app')).toBe('unauthenticated')
  expect(await codeOf('/installation', bearing())).toBe('install_required')
  expect(await codeOf('/installation', bearing({}, HOME))).toBe('served')
})

test('a route with a permission is for those who hold it', async () => {
  const { call, codeOf } = await startGuarded()
  expect(await codeOf('/order', bearing({}, HOME))).toBe('served')
  expect(await call('/order', bearing({}, HOME), 'DELETE')).toEqual({
    code: 'forbidden',
    message: 'The app has not been granted the permission order:delete.',
    permission: 'order:delete',
  })
})

test('an app is the caller as it is, a person or an assistant is named', async () => {
  const { callerOf, apps } = await startGuarded()
  const plain = (await callerOf('/order', bearing({}, HOME))).caller
  expect(plain.app).toBe(apps.get('shop'))
  expect([plain.account, plain.assistantOf, personOf(plain)]).toEqual([undefined, undefined, undefined])
  const inner = await innerCalls.run({ via: 'assistant' }, () => callerOf('/order', bearing({}, HOME)))
  expect(inner.caller.app).toEqual({ ...app('shop'), via: 'assistant' })
  const person = (await callerOf('/order', inConsole('amel'))).caller
  expect(person.app).toEqual({ ...app('console', { built_in: true }), account: account('amel'), via: undefined })
  expect([person.account?.id, person.assistantOf, personOf(person)?.id]).toEqual(['amel', undefined, 'amel'])
  const assistant = (await callerOf('/order', bearing({ grant: 'assistant' }, HOME))).caller
  expect(assistant.app).toEqual({ ...app('shop'), account: account('amel'), via: 'assistant' })
  expect([assistant.account, assistant.assistantOf?.id, personOf(assistant)?.id]).toEqual([undefined, 'amel', 'amel'])
})

test('a token of the console is that of a person, and no other token names one', async () => {
  const { codeOf } = await startGuarded()
  expect(await codeOf('/order', inConsole('amel'))).toBe('served')
  for (const headers of [
    inConsole('unknown'),
    inConsole('gone'),
    inConsole('amel', CONSOLE, 2),
    bearing({ appId: 'console' }, CONSOLE),
    bearing({ account: { id: 'amel', generation: 1 } }, HOME),
    bearing({ account: { id: 'unknown', generation: 1 } }, HOME),
  ])
    expect(await codeOf('/order', headers)).toBe('token_revoked')
})

test('a person in the console may do what their account says, not what the console may', async () => {
  const { callerOf, codeOf } = await startGuarded()
  const permissions = async (id: string) => [
    ...((await callerOf('/order', inConsole(id))).caller.installation?.permissions ?? []),
  ]
  expect(await permissions('amel')).toEqual(['order:view', 'product:view'])
  expect(await permissions('operator')).toEqual(['order:view', 'order:delete'])
  expect(await codeOf('/order', inConsole('operator'), 'DELETE')).toBe('served')
  expect(await codeOf('/order', inConsole('amel'), 'DELETE')).toBe('forbidden')
  expect(await codeOf('/order', inConsole('stranger'))).toBe('install_not_granted')
})

test('an assistant may do what the app, the person and the ticks allow', async () => {
  const { callerOf, codeOf } = await startGuarded()
  const { caller } = await callerOf('/order', bearing({ grant: 'assistant' }, HOME))
  expect([...(caller.installation?.permissions ?? [])]).toEqual(['order:view'])
  expect(caller.installation?.id).toBe(HOME)
  for (const grant of ['unknown', 'of nobody', 'of somebody gone', 'unticked'])
    expect(await codeOf('/order', bearing({ grant }, HOME))).toBe('token_revoked')
  expect(await codeOf('/order', bearing({ grant: 'of a stranger' }, HOME))).toBe('install_not_granted')
  const service = (await callerOf('/order', bearing({ grant: 'service' }, HOME))).caller
  expect([...(service.installation?.permissions ?? []), service.assistantOf, service.app.via]).toEqual([
    ...['order:view', 'order:update'],
    ...[undefined, undefined],
  ])
  const narrowed = restrictToPerson(
    installation(HOME, 'shop'),
    account('amel'),
    new Set(['order:view', 'product:view']),
  )
  expect([...narrowed.permissions]).toEqual(['order:view'])
})

test('a suspended store is closed, but its people still see it in the console', async () => {
  const { codeOf } = await startGuarded()
  expect(await codeOf('/order', bearing({}, SUSPENDED))).toBe('store_suspended')
  expect(await codeOf('/order', inConsole('amel', CONSOLE_SUSPENDED))).toBe('served')
  expect(await codeOf('/order', inConsole('amel', CONSOLE_SUSPENDED), 'HEAD')).toBe(200)
  expect(await codeOf('/order', inConsole('amel', CONSOLE_SUSPENDED), 'POST')).toBe('store_suspended')
  expect(await codeOf('/order', inConsole('amel'), 'POST')).toBe('served')
})

test('a call is counted once its installation is known, before it is refused for another reason', async () => {
  const { codeOf, state } = await startGuarded()
  await codeOf('/order', bearing({}, ELSEWHERE))
  await codeOf('/order', inConsole('stranger'))
  expect(state.calls).toBe(0)
  await codeOf('/order', bearing({}, HOME))
  await codeOf('/order', bearing({}, HOME), 'DELETE')
  await codeOf('/order', bearing({}, SUSPENDED))
  expect(state.calls).toBe(3)
  state.limited = true
  expect(await codeOf('/order', bearing({}, HOME), 'DELETE')).toBe('rate_limited')
  expect(await codeOf('/order', bearing({}, SUSPENDED))).toBe('rate_limited')
})

test('an open route asks for nothing, one of the console for a session', async () => {
  const { call, codeOf, state, verified } = await startGuarded()
  expect(await codeOf('/open')).toBe('served')
  expect(await codeOf('/open', { authorization: 'Bearer a.forged.c' })).toBe('served')
  expect([state.sessions, verified]).toEqual([0, []])
  for (const url of ['/account', '/operator'])
    expect(await call(url, bearing({}, HOME))).toEqual({ code: 'unauthenticated', message: 'No session.' })
  state.isSignedIn = true
  expect([await codeOf('/account'), await codeOf('/operator')]).toEqual(['served', 'served'])
  expect([state.sessions, verified]).toEqual([4, []])
})

test('a route that does not exist is counted for who is known, and answered as missing', async () => {
  const { codeOf, state, verified } = await startGuarded()
  expect(await codeOf('/nowhere')).toBe('not_found')
  expect(verified).toEqual([])
  expect(await codeOf('/nowhere', bearing({}, HOME))).toBe('not_found')
  expect(state.calls).toBe(1)
  for (const headers of [{ authorization: 'Bearer a.forged.c' }, { authorization: 'x' }, bearing()])
    expect(await codeOf('/nowhere', headers)).toBe('not_found')
  state.limited = true
  expect(await codeOf('/nowhere', bearing({}, HOME))).toBe('rate_limited')
})

test('an error that is not one of the API is not taken for a limit', async () => {
  const { cache, codeOf } = await startGuarded()
  cache.app = () => {
    throw Object.assign(new Error('broken'), { code: 'rate_limited' })
  }
  expect(await codeOf('/nowhere', bearing({}, HOME))).toBe('not_found')
})

test('a stream is checked again without being counted again', async () => {
  const { codeOf, state } = await startGuarded()
  expect(await codeOf('/stream', bearing({}, HOME))).toBe('install_not_granted')
  expect(state.calls).toBe(1)
})

test('a route declares who may call it, in one way', async () => {
  const { server } = await startGuarded()
  const message = 'GET /new must declare who may call it: config.permission or config.access.'
  const both: FastifyContextConfig = { permission: 'order:view', access: 'app' }
  for (const options of [{}, { config: {} }, { config: both }] as RouteShorthandOptions[])
    expect(() => server.get('/new', options, async () => '')).toThrow(message)
})

test('a permission that depends on the request is checked, and noted', async () => {
  const { callerOf } = await startGuarded()
  const request = await callerOf('/order', bearing({}, HOME))
  requirePermission(request, 'order:view')
  requirePermission(request, 'order:update')
  expect(request.checkedPermissions).toEqual(['order:view', 'order:update'])
  expect(() => requirePermission(request, 'order:delete')).toThrow('order:delete')
  expect(request.checkedPermissions).toEqual(['order:view', 'order:update'])
  const nobody = { caller: { ...request.caller, installation: undefined } } as FastifyRequest
  expect(() => requirePermission(nobody, 'order:view')).toThrow('order:view')
})

test('what is checked is the route, or what is given instead', async () => {
  const { cache, tokens } = await startGuarded()
  const request = (given: object) =>
    ({ headers: bearing({}, HOME), method: 'GET', route: { permission: 'order:delete' }, ...given }) as FastifyRequest
  await expect(authorize(cache, tokens, request({}))).rejects.toThrow('order:delete')
  // Without a limit of calls too.
  await authorize(cache, tokens, request({}), { permission: 'order:view' })
})

test('a caller who is checked again, while a reply is being written, stays whole meanwhile', async () => {
  const { cache, tokens } = await startGuarded()
  const request = { headers: bearing({}, HOME), method: 'GET', route: { permission: 'order:view' } } as FastifyRequest
  await authorize(cache, tokens, request)
  const permissionsMeanwhile: boolean[] = []
  const slow = {
    ...cache,
    installation: async (id: string) => {
      permissionsMeanwhile.push(request.caller.installation?.permissions.has('order:view') ?? false)
      return cache.installation(id)
    },
  }
  await authorize(slow, tokens, request)
  expect(permissionsMeanwhile).toEqual([true])
  expect(request.caller.installation?.id).toBe(HOME)
})
