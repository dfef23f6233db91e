import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import {
  addRegisteredApp,
  authorizationRequest,
  decide,
  LOCAL_APPS,
  REDIRECT,
  startAppSite,
} from '../../../tests/support/apps.ts'
import { addPerson, storeCaller } from '../../../tests/support/console.ts'
import { API_PREFIX } from '../../config/config.ts'

let api: TestApi
let owner: Awaited<ReturnType<typeof addPerson>>
beforeAll(async () => {
  api = await startTestApi(LOCAL_APPS)
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
})

/** The person opens the address that the client made, and agrees. Returns the address that the browser is sent to. */
const agree = async (address: URL) => {
  expect(address.origin + address.pathname).toBe(`${api.origin}/oauth/authorize`)
  const page = await fetch(address, { redirect: 'manual' })
  expect(page.headers.get('location')).toBe(`${api.origin}/console/authorize${address.search}`)
  const reply = await decide(owner, api.store.id, Object.fromEntries(address.searchParams))
  expect(reply.status, reply.text).toBe(200)
  return new URL(reply.body.data.redirect)
}

const callProducts = (token: string) =>
  fetch(`${api.origin}${API_PREFIX}/product`, { headers: { authorization: `Bearer ${token}` } })

const uninstall = async (client_id: string) => {
  const { status } = await (await storeCaller(api, owner)).delete(`/app/${encodeURIComponent(client_id)}`)
  expect(status).toBe(200)
}

test('openid-client installs, gets a token, calls, gets another token, and stops when it is uninstalled', async () => {
  const app = await addRegisteredApp(api)
  const config = await openid.discovery(
    new URL(api.origin),
    app.client_id,
    undefined,
    openid.ClientSecretBasic(app.client_secret),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
  )
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const expectedState = openid.randomState()
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: 'product:view',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
  })
  const answer = await agree(address)
  const tokens = await openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier, expectedState })
  expect(tokens).toMatchObject({ scope: 'product:view', store: api.store.id, expires_in: 3600 })
  expect((await callProducts(tokens.access_token)).status).toBe(200)

  const install_id = tokens.install_id as string
  const more = await openid.clientCredentialsGrant(config, { install_id })
  expect((await callProducts(more.access_token)).status).toBe(200)
  await openid.tokenRevocation(config, more.access_token)
  expect((await callProducts(more.access_token)).status).toBe(401)

  await uninstall(app.client_id)
  expect((await callProducts(tokens.access_token)).status).toBeGreaterThanOrEqual(401)
  await expect(openid.clientCredentialsGrant(config, { install_id })).rejects.toMatchObject({ error: 'invalid_grant' })
})

test('oauth4webapi installs a public client that nobody registered, calls, refreshes and is uninstalled', async () => {
  const site = await startAppSite()
  const client_id = `${site.origin}/client.json`
  site.documents.set('/client.json', {
    client_id,
    client_name: 'Pocket',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
  })
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(api.origin)
  const server = await oauth
    .discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    .then((response) => oauth.processDiscoveryResponse(issuer, response))
  const client: oauth.Client = { client_id }
  const verifier = oauth.generateRandomCodeVerifier()
  const request = authorizationRequest(client_id, await oauth.calculatePKCECodeChallenge(verifier), {
    scope: 'product:view order:view',
  })
  const address = new URL(server.authorization_endpoint as string)
  address.search = new URLSearchParams(request).toString()
  const callback = oauth.validateAuthResponse(server, client, await agree(address), 'xyz')
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
  expect((await callProducts(tokens.access_token)).status).toBe(200)

  const refreshed = await oauth
    .refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token as string, insecure)
    .then((response) => oauth.processRefreshTokenResponse(server, client, response))
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
  expect((await callProducts(refreshed.access_token)).status).toBe(200)

  await uninstall(client_id)
  expect((await callProducts(refreshed.access_token)).status).toBeGreaterThanOrEqual(401)
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
