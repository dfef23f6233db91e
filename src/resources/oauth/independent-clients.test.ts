import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import {
  addRegisteredApp,
  authorizationRequest,
  decide,
  LOCAL_APPS,
  obtainCode,
  REDIRECT,
  startAppSite,
} from '../../../tests/support/apps.ts'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { addPerson } from '../../../tests/support/console.ts'
import { API_PREFIX } from '../../config/config.ts'

/** The service as clients see it: at an address, with a store and its owner. */
interface Service {
  api: TestApi
  address: string
}

const PATH = '/shop'

/** Forwards requests to the nodes by turns. Like any proxy for a path, it takes the path off. */
const startProxy = async (nodes: () => readonly TestApi[]) => {
  let turn = 0
  const proxy = http.createServer((request, reply) => {
    const { url = '', method = 'GET', headers } = request
    const isBelow = url.startsWith(`${PATH}/`)
    // Documents about the path are found at the root of the host.
    if (!isBelow && !url.startsWith('/.well-known/')) return reply.writeHead(404).end()
    const all = nodes()
    const node = all[turn++ % all.length] as TestApi
    const path = isBelow ? url.slice(PATH.length) : url
    const onward = http.request({ host: '127.0.0.1', port: node.port, path, method, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(reply)
    })
    onward.on('error', () => reply.destroy())
    request.pipe(onward)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  addCleanup(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${PATH}`
}

const startAlone = async (): Promise<Service> => {
  const api = await startTestApi(LOCAL_APPS)
  return { api, address: api.origin }
}

const startBehindProxy = async (): Promise<Service> => {
  const nodes: TestApi[] = []
  const address = await startProxy(() => nodes)
  const settings = {
    ...LOCAL_APPS,
    BASE_URL: address,
    TRUST_PROXY: '1',
    TOKEN_SECRET: 'the same secret on both nodes, long',
  }
  const api = await startTestApi(settings)
  nodes.push(api, await startTestApi({ ...settings, DATABASE_POOL: '5' }))
  return { api, address }
}

describe.each([
  ['at one node', startAlone],
  ['at two nodes behind a proxy with a path', startBehindProxy],
])('%s', (_, start) => {
  let api: TestApi
  let address: string
  let owner: Awaited<ReturnType<typeof addPerson>>
  let ofStore: (path: string, method: string) => Promise<Response>
  beforeAll(async () => {
    ;({ api, address } = await start())
    owner = await addPerson({ ...api, origin: address }, { role: 'owner', store: api.store.id })
    ofStore = async (path, method) => {
      const { body } = await owner.console.post(`/stores/${api.store.id}/token`)
      const headers = { authorization: `Bearer ${body.data.token}` }
      return fetch(address + API_PREFIX + path, { method, headers })
    }
  })

  /** The person opens the address that the client made, and agrees. Returns the address that the browser is sent to. */
  const agree = async (place: URL) => {
    expect(place.origin + place.pathname).toBe(`${address}/oauth/authorize`)
    const page = await fetch(place, { redirect: 'manual' })
    expect(page.headers.get('location')).toBe(`${address}/console/authorize${place.search}`)
    const reply = await decide(owner, api.store.id, Object.fromEntries(place.searchParams))
    expect(reply.status, reply.text).toBe(200)
    return new URL(reply.body.data.redirect)
  }

  const callProducts = async (token: string) => {
    const { status } = await fetch(`${address}${API_PREFIX}/product`, { headers: { authorization: `Bearer ${token}` } })
    return status
  }

  const uninstall = async (client_id: string) =>
    expect((await ofStore(`/app/${encodeURIComponent(client_id)}`, 'DELETE')).status).toBe(200)

  /** The other node hears of it a moment later. */
  const expectRefused = (token: string) => expect.poll(() => callProducts(token)).toBeOneOf([401, 403])

  test('openid-client installs, gets a token, calls, gets another token, and stops when it is uninstalled', async () => {
    const app = await addRegisteredApp(api)
    const config = await openid.discovery(
      new URL(address),
      app.client_id,
      undefined,
      openid.ClientSecretBasic(app.client_secret),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    )
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const place = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'product:view',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    })
    const answer = await agree(place)
    const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier, expectedState })
    expect(tokens).toMatchObject({ scope: 'product:view', store: api.store.id, expires_in: 3600 })
    expect(await callProducts(tokens.access_token)).toBe(200)

    const install_id = tokens.install_id as string
    const more = await openid.clientCredentialsGrant(config, { install_id })
    expect(await callProducts(more.access_token)).toBe(200)
    await openid.tokenRevocation(config, more.access_token)
    await expectRefused(more.access_token)

    await uninstall(app.client_id)
    await expectRefused(tokens.access_token)
    await expect(openid.clientCredentialsGrant(config, { install_id })).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('oauth4webapi installs a public client that nobody registered, calls, refreshes and is uninstalled', async () => {
    const site = await startAppSite()
    const client_id = `${site.origin}/client.json`
    site.documents.set('/client.json', {
      client_id,
      client_name: `Pocket ${randomUUID()}`,
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
    })
    const insecure = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(address)
    const server = await oauth
      .discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
    const client: oauth.Client = { client_id }
    const verifier = oauth.generateRandomCodeVerifier()
    const request = authorizationRequest(client_id, await oauth.calculatePKCECodeChallenge(verifier), {
      scope: 'product:view order:view',
    })
    const place = new URL(server.authorization_endpoint as string)
    place.search = new URLSearchParams(request).toString()
    const callback = oauth.validateAuthResponse(server, client, await agree(place), 'xyz')
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      callback,
      REDIRECT,
      verifier,
      insecure,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
    expect(tokens).toMatchObject({ scope: 'order:view product:view', store: api.store.id })
    expect(await callProducts(tokens.access_token)).toBe(200)

    const refreshed = await oauth
      .refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token as string, insecure)
      .then((response) => oauth.processRefreshTokenResponse(server, client, response))
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    expect(await callProducts(refreshed.access_token)).toBe(200)

    await uninstall(client_id)
    await expectRefused(refreshed.access_token)
    const late = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      refreshed.refresh_token as string,
      insecure,
    )
    await expect(oauth.processRefreshTokenResponse(server, client, late)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  /** Reads one field of a flat JSON reply. */
  const CURL = `
field() { sed -E 's/.*"'"$1"'":"([^"]*)".*/\\1/'; }
call() { curl -s -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $1" "$BASE/api/apps/v1/product"; }
token() { curl -sf -u "$CLIENT_ID:$CLIENT_SECRET" "$BASE/oauth/token" "$@"; }
reply=$(token -d grant_type=authorization_code -d code="$CODE" -d code_verifier="$VERIFIER" -d redirect_uri="$REDIRECT")
access=$(echo "$reply" | field access_token)
call "$access"
fresh=$(token -d grant_type=client_credentials -d install_id="$(echo "$reply" | field install_id)" | field access_token)
call "$fresh"
curl -sf -u "$CLIENT_ID:$CLIENT_SECRET" "$BASE/oauth/revoke" -d token="$fresh" -o /dev/null
curl -sf -X DELETE -H "Authorization: Bearer $OWNER" "$BASE/api/apps/v1/app/$CLIENT_ID"
echo
echo "$access $fresh"
`

  test('curl alone gets tokens, calls, and sees the app uninstalled', async () => {
    const app = await addRegisteredApp(api)
    const { code, verifier } = await obtainCode(owner, api.store.id, app.client_id)
    const { body } = await owner.console.post(`/stores/${api.store.id}/token`)
    const { stdout } = await promisify(execFile)('sh', ['-euc', CURL], {
      env: {
        ...process.env,
        BASE: address,
        CLIENT_ID: app.client_id,
        CLIENT_SECRET: app.client_secret,
        CODE: code,
        VERIFIER: verifier,
        REDIRECT,
        OWNER: body.data.token,
      },
    })
    const [first, second, uninstalled, tokens = ''] = stdout.trim().split('\n')
    expect([first, second, uninstalled]).toEqual(['200', '200', '{"data":{}}'])
    for (const token of tokens.split(' ')) await expectRefused(token)
  })
})
