import { createHash, randomBytes, randomUUID } from 'node:crypto'
import sharp from 'sharp'
import type { Manifest } from '../../src/resources/apps/manifest.ts'
import { type Listing, registerApp } from '../../src/resources/apps/register-app.ts'
import type { TestApi } from './api.ts'
import type { Caller } from './caller.ts'
import { startReceiver } from './receiver.ts'

/** Lets the service request documents and post messages on this machine. */
export const LOCAL_APPS = { WEBHOOK_PRIVATE: '127.0.0.0/8' }

export const iconData = async (width = 64, height = 32) => {
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#c05020' } })
    .png()
    .toBuffer()
  return `data:image/png;base64,${bytes.toString('base64')}`
}

export const REDIRECT = 'https://counter.example/oauth/callback'

/** A manifest with a name of its own. */
export const manifestOf = async (changes: Record<string, unknown> = {}): Promise<Record<string, unknown>> => ({
  name: `Counter ${randomUUID()}`,
  description: 'Counts what is on the shelf.',
  developer: 'Counter Ltd',
  url: 'https://counter.example/',
  icon: await iconData(),
  permissions: { required: ['product:view'], optional: ['product:update', 'order:view'] },
  redirect_uris: [REDIRECT],
  support_url: 'https://counter.example/support',
  privacy_url: 'https://counter.example/privacy',
  ...changes,
})

export const addRegisteredApp = async (
  api: Pick<TestApi, 'db' | 'services'>,
  changes: Partial<Manifest> = {},
  listing: Listing = 'listed',
) => registerApp(api.db, api.services.webhooks.egress, { content: await manifestOf(changes) }, listing)

/** The site of an app developer: documents by path, each with its own way to reply. */
export const startAppSite = async () => {
  const documents = new Map<string, unknown>()
  const site = await startReceiver((received, reply) => {
    const document = documents.get(received.path)
    if (document === undefined) return reply.writeHead(404).end()
    if (typeof document === 'function') return document(reply)
    if (Buffer.isBuffer(document)) return reply.end(document)
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  const origin = `http://127.0.0.1:${site.port}`
  return { ...site, documents, origin, requests: site.received }
}

/** A verifier of PKCE and its challenge. */
export const newProof = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const authorizationRequest = (client_id: string, challenge: string, more: Record<string, string> = {}) => ({
  client_id,
  response_type: 'code',
  redirect_uri: REDIRECT,
  state: 'xyz',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  ...more,
})

type Person = { console: Caller }

/** What a person does on the page of /oauth/authorize. Returns the reply to the decision. */
export const decide = async (
  person: Person,
  store: string,
  request: Record<string, string>,
  { permissions, revision }: { permissions?: string[]; revision?: string } = {},
) => {
  const seen = await person.console.get(`/authorize?${new URLSearchParams(request)}`)
  if (!seen.body.data?.consent) return seen
  const { consent } = seen.body.data
  // A client that nobody registered gets what is ticked: everything that it asks for.
  const ticked = permissions ?? (consent.app.is_registered ? [] : consent.optional)
  const decision = { request, store, permissions: ticked, revision: revision ?? consent.revision }
  return person.console.post('/authorize', decision)
}

/** Sends a form to /oauth/token or /oauth/revoke. */
export const sendForm = (api: Pick<TestApi, 'site'>, path: string, fields: Record<string, string>, headers = {}) =>
  api.site.post(path, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  })

/** A code for an app, from a person who agrees. */
export const obtainCode = async (
  person: Person,
  store: string,
  client_id: string,
  { permissions, ...more }: { permissions?: string[]; redirect_uri?: string; scope?: string } = {},
) => {
  const { verifier, challenge } = newProof()
  const reply = await decide(
    person,
    store,
    authorizationRequest(client_id, challenge, more as Record<string, string>),
    permissions ? { permissions } : {},
  )
  if (reply.status !== 200) throw new Error(reply.text)
  const answer = new URL(reply.body.data.redirect).searchParams
  return { code: answer.get('code') as string, verifier, install_id: reply.body.data.install_id as string, answer }
}
