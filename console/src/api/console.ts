import type { Static } from 'typebox'
import type {
  LinkReply,
  MeReply,
  Person,
  PersonChange,
  SessionRow,
  State,
  Store,
  View,
} from '../../../src/accounts/schema.ts'
import { base } from '../base-url.ts'

/** Shapes of `/console/api`, from the schemas that the server validates with. */
export type Me = Static<typeof MeReply>['data']
export type Account = Me['account']
export type StoreInfo = Static<typeof Store>
type ServiceState = Static<typeof State>['data']
type LinkInfo = Static<typeof LinkReply>['data']['link']
type SessionInfo = Static<typeof SessionRow>
export type PersonInfo = Static<typeof Person>
export type Membership = Static<typeof PersonChange>
export type SavedView = Static<typeof View>

export class ConsoleError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string[]>

  constructor(status: number, { code, message, errors }: { code: string; message: string; errors?: object }) {
    super(message)
    this.status = status
    this.code = code
    this.fields = (errors ?? {}) as Record<string, string[]>
  }
}

let endSession = () => {}

/** Called when the service asks to sign in, in reply to a read or a write. */
export const whenSessionEnds = (act: () => void) => {
  endSession = act
}

declare global {
  interface Window {
    /** Replies to requests that start.js sent, each for one use. */
    earlyReplies?: Record<string, Promise<Response | undefined>>
  }
}

const takeEarly = (method: string, path: string) => {
  const key = `${method} ${path}`
  const reply = window.earlyReplies?.[key]
  delete window.earlyReplies?.[key]
  return reply
}

const send = async <T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> => {
  const early = await takeEarly(method, path)
  const response =
    early ??
    (await fetch(`${base}/api${path}`, {
      method,
      credentials: 'same-origin',
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }))
  const reply = await response.json().catch(() => ({ code: 'unavailable', message: response.statusText }))
  if (response.ok) return reply.data as T
  if (reply.code === 'sign_in_required') endSession()
  throw new ConsoleError(response.status, reply)
}

/** Everything about people and sessions. What belongs to a store goes through `storeClient`. */
export const consoleApi = {
  state: () => send<ServiceState>('GET', '/state'),
  me: () => send<Me>('GET', '/me'),
  updateMe: (changes: Partial<Pick<Account, 'name' | 'language' | 'theme'>>) =>
    send<{ account: Account }>('PUT', '/me', changes),
  signIn: (given: { email: string; password: string }) => send('POST', '/sign-in', given),
  signOut: () => send('POST', '/sign-out'),
  checkLink: (code: string) => send<{ link: LinkInfo }>('POST', '/link/check', { code }),
  redeemLink: (given: { code: string; password: string; name?: string; email?: string }) =>
    send('POST', '/link', given),
  changePassword: (given: { current_password: string; password: string }) => send('POST', '/password', given),
  confirm: (password: string) => send('POST', '/confirm', { password }),
  sessions: () => send<{ sessions: SessionInfo[] }>('GET', '/sessions'),
  endSession: (id: string) => send('DELETE', `/sessions/${id}`),
  endOtherSessions: () => send('DELETE', '/sessions'),
  stores: (search: string) => send<{ stores: StoreInfo[] }>('GET', `/stores?${new URLSearchParams({ search })}`),
  token: (store: string) => send<{ token: string; ttl: number }>('POST', `/stores/${store}/token`),
  people: (store: string) => send<{ people: PersonInfo[] }>('GET', `/stores/${store}/people`),
  invite: (store: string, person: { email: string; name: string } & Membership) =>
    send<{ person: PersonInfo; link: string }>('POST', `/stores/${store}/people`, person),
  changePerson: (store: string, account: string, membership: Membership) =>
    send<{ person: PersonInfo }>('PUT', `/stores/${store}/people/${account}`, membership),
  removePerson: (store: string, account: string) => send('DELETE', `/stores/${store}/people/${account}`),
  linkPerson: (store: string, account: string) =>
    send<{ link: string }>('POST', `/stores/${store}/people/${account}/link`),
  views: (store_id: string, list: string) =>
    send<{ views: SavedView[] }>('GET', `/views?${new URLSearchParams({ store_id, list })}`),
  saveView: (view: { store_id: string; list: string; name: string; query: string }) =>
    send<{ view: SavedView }>('PUT', '/views', view),
  deleteView: (id: string) => send('DELETE', `/views/${id}`),
}
