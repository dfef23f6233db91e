import type { Static } from 'typebox'
import type {
  Invitation,
  LinkReply,
  MeReply,
  Person,
  PersonChange,
  SessionRow,
  SignedIn,
  StaffRole,
  StaffRoleChange,
  State,
  Store,
  View,
} from '../../../src/resources/accounts/schema.ts'
import type { PermissionRequests } from '../../../src/resources/calls/schema.ts'
import type {
  ConnectedAssistant as Assistant,
  AssistantReply,
  Consent,
} from '../../../src/resources/oauth/consent-schema.ts'
import type { AppSecrets, OperatorApp } from '../../../src/resources/operator/app-schema.ts'
import type {
  NewPlan,
  OperatorInvoice,
  OperatorPlan,
  PlanChange,
} from '../../../src/resources/operator/billing-schema.ts'
import type {
  AccountReply,
  AccountsReply,
  AuditReply,
  DoctorReply,
  NewInvitation,
  NewRole,
  NewStore,
  Requirement,
  RoleRemoval,
  StoreChange,
  StoreReply,
  StoresReply,
  SystemReply,
} from '../../../src/resources/operator/schema.ts'
import type { Permission } from '../../../src/resources/permissions/catalogue.ts'
import { base } from '../base-url.ts'

/** Shapes of `/console/api`, from the schemas that the server validates with. */
export type Me = Static<typeof MeReply>['data']
export type Account = Me['account']
export type StoreInfo = Static<typeof Store>
type ServiceState = Static<typeof State>['data']
export type LinkInfo = Static<typeof LinkReply>['data']['link']
export type SessionInfo = Static<typeof SessionRow>
export type PersonInfo = Static<typeof Person>
export type InvitationInfo = Static<typeof Invitation>
export type StaffRoleInfo = Static<typeof StaffRole>
export type Membership = Static<typeof PersonChange>
/** What an app asks for, and of whom it may be granted. */
export type ConsentInfo = Static<typeof Consent>
export type ConnectedAssistant = Static<typeof Assistant>
export type PermissionRequestInfo = Static<typeof PermissionRequests>['data']['requests'][number]
export type AssistantInfo = Static<typeof AssistantReply>['data']
export type OperatorAppInfo = Static<typeof OperatorApp>
export type AppSecretsInfo = Static<typeof AppSecrets>
export type OperatorPlanInfo = Static<typeof OperatorPlan>
export type OperatorInvoiceInfo = Static<typeof OperatorInvoice>
export type SavedView = Static<typeof View>

type StorePage = Static<typeof StoresReply>['data']
export type StoreRow = StorePage['stores'][number]
export type StoreDetails = Static<typeof StoreReply>['data']
type AccountPage = Static<typeof AccountsReply>['data']
export type AccountRow = AccountPage['accounts'][number]
export type OpenInvitation = AccountPage['invitations'][number]
type AuditPage = Static<typeof AuditReply>['data']
export type AuditEntry = AuditPage['entries'][number]
export type SecondFactorRule = Static<typeof Requirement>
/** Filters of a list, as in the address. */
export type Filters = Readonly<Record<string, string>>

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

/** What is asked for: everything, or the second factor alone. */
export type SignInStage = 'password' | 'second-factor'

let signInAgain: ((stage: SignInStage) => Promise<void>) | undefined

/**
 * Behind the sign-in: asks for the password when the session has ended, or for the second factor when it came to need one,
 * and then the interrupted calls go on. Fails if the person does not sign in.
 */
export const whenSessionEnds = (ask: typeof signInAgain) => {
  signInAgain = ask
}

/** Asks over an open page. False if no page is open that could be kept. */
export const askForSecondFactor = () => {
  signInAgain?.('second-factor')
  return signInAgain !== undefined
}

let setUpFirst = () => {}

/** What happens when a second factor has to be set up before anything else. */
export const whenSecondFactorIsMissing = (act: () => void) => {
  setUpFirst = act
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

const STAGES: Readonly<Record<string, SignInStage | undefined>> = {
  sign_in_required: 'password',
  second_factor_required: 'second-factor',
}

export const send = async <T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> => {
  const early = await takeEarly(method, path)
  const response =
    early ??
    (await fetch(`${base}/api${path}`, {
      method,
      credentials: 'same-origin',
      // Sent also while the page is being closed.
      keepalive: method === 'DELETE',
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }))
  const reply = await response.json().catch(() => ({ code: 'unavailable', message: response.statusText }))
  if (response.ok) return reply.data as T
  const stage = STAGES[reply.code]
  if (stage && signInAgain) {
    await signInAgain(stage)
    return send(method, path, body, signal)
  }
  if (reply.code === 'second_factor_missing') setUpFirst()
  throw new ConsoleError(response.status, reply)
}

/** Everything about people and sessions. What belongs to a store goes through `storeClient`. */
export const consoleApi = {
  state: () => send<ServiceState>('GET', '/state'),
  me: () => send<Me>('GET', '/me'),
  updateMe: (changes: Partial<Pick<Account, 'name' | 'language' | 'theme'>>) =>
    send<{ account: Account }>('PUT', '/me', changes),
  signIn: (given: { email: string; password: string }) =>
    send<Static<typeof SignedIn>['data']>('POST', '/sign-in', given),
  signOut: () => send('POST', '/sign-out'),
  checkLink: (code: string) => send<{ link: LinkInfo }>('POST', '/link/check', { code }),
  redeemLink: (given: { code: string; password: string; name?: string; email?: string }) =>
    send<Static<typeof SignedIn>['data']>('POST', '/link', given),
  joinWithLink: (code: string) => send('POST', '/link/join', { code }),
  changePassword: (given: { current_password: string; password: string }) => send('POST', '/password', given),
  confirm: (password: string) => send('POST', '/confirm', { password }),
  sessions: () => send<{ sessions: SessionInfo[] }>('GET', '/sessions'),
  endSession: (id: string) => send('DELETE', `/sessions/${id}`),
  endOtherSessions: () => send('DELETE', '/sessions'),
  stores: (search: string) => send<{ stores: StoreInfo[] }>('GET', `/stores?${new URLSearchParams({ search })}`),
  token: (store: string) => send<{ token: string; ttl: number }>('POST', `/stores/${store}/token`),
  people: (store: string) =>
    send<{ people: PersonInfo[]; invitations: InvitationInfo[]; roles: StaffRoleInfo[] }>(
      'GET',
      `/stores/${store}/people`,
    ),
  createRole: (store: string, role: { name: string; permissions: Permission[] }) =>
    send<{ role: StaffRoleInfo }>('POST', `/stores/${store}/roles`, role),
  changeRole: (store: string, id: string, change: Static<typeof StaffRoleChange>) =>
    send<{ role: StaffRoleInfo }>('PUT', `/stores/${store}/roles/${id}`, change),
  deleteRole: (store: string, id: string, replacement: string) =>
    send<{ people: number }>('DELETE', `/stores/${store}/roles/${id}${replacement && `?replacement=${replacement}`}`),
  changePerson: (store: string, account: string, membership: Membership) =>
    send<{ person: PersonInfo }>('PUT', `/stores/${store}/people/${account}`, membership),
  removePerson: (store: string, account: string) => send('DELETE', `/stores/${store}/people/${account}`),
  invite: (store: string, person: { email: string; name: string } & Membership) =>
    send<{ invitation: InvitationInfo; link: string }>('POST', `/stores/${store}/invitations`, person),
  changeInvitation: (store: string, invitation: string, membership: Membership) =>
    send<{ invitation: InvitationInfo }>('PUT', `/stores/${store}/invitations/${invitation}`, membership),
  withdrawInvitation: (store: string, invitation: string) =>
    send('DELETE', `/stores/${store}/invitations/${invitation}`),
  linkInvitation: (store: string, invitation: string) =>
    send<{ link: string }>('POST', `/stores/${store}/invitations/${invitation}/link`),
  assistants: () => send<AssistantInfo>('GET', '/assistants'),
  cutOffAssistant: (id: string) => send('DELETE', `/assistants/${id}`),
  storeAssistants: (store: string) =>
    send<Pick<AssistantInfo, 'assistants' | 'is_counted'>>('GET', `/stores/${store}/assistants`),
  permissionRequests: (store: string) =>
    send<{ requests: PermissionRequestInfo[] }>('GET', `/stores/${store}/permissions/asked`),
  decidePermissions: (store: string, installation: string, permissions: readonly string[]) =>
    send('POST', `/stores/${store}/permissions/asked/${installation}`, { permissions }),
  cutOffStoreAssistant: (store: string, id: string) => send('DELETE', `/stores/${store}/assistants/${id}`),
  consent: (request: URLSearchParams) =>
    send<{ consent?: ConsentInfo; redirect?: string }>('GET', `/authorize?${request}`),
  decide: (decision: { request: object; store: string; permissions: readonly string[]; revision: string }) =>
    send<{ install_id?: string; redirect?: string }>('POST', '/authorize', decision),
  views: (store_id: string, list: string) =>
    send<{ views: SavedView[] }>('GET', `/views?${new URLSearchParams({ store_id, list })}`),
  saveView: (view: { store_id: string; list: string; name: string; query: string }) =>
    send<{ view: SavedView }>('PUT', '/views', view),
  deleteView: (id: string) => send('DELETE', `/views/${id}`),
}

const list = <T>(path: string, filters: Filters) => send<T>('GET', `${path}?${new URLSearchParams(filters)}`)

/** What only operators do. */
export const operatorApi = {
  stores: (filters: Filters) => list<StorePage>('/operator/stores', filters),
  store: (id: string) => send<StoreDetails>('GET', `/operator/stores/${id}`),
  createStore: (store: Static<typeof NewStore>) => send<StoreDetails>('POST', '/operator/stores', store),
  changeStore: (id: string, changes: Static<typeof StoreChange>) =>
    send<StoreDetails>('PUT', `/operator/stores/${id}`, changes),
  suspendStore: (id: string) => send<StoreDetails>('POST', `/operator/stores/${id}/suspend`),
  resumeStore: (id: string) => send<StoreDetails>('POST', `/operator/stores/${id}/resume`),
  removeStore: (id: string, name: string) => send('POST', `/operator/stores/${id}/removal`, { name }),
  accounts: (filters: Filters) => list<AccountPage>('/operator/accounts', filters),
  disable: (id: string) => send<Static<typeof AccountReply>['data']>('POST', `/operator/accounts/${id}/disable`),
  enable: (id: string) => send<Static<typeof AccountReply>['data']>('POST', `/operator/accounts/${id}/enable`),
  passwordLink: (id: string) => send<{ link: string }>('POST', `/operator/accounts/${id}/link`),
  signOut: (id: string) => send('DELETE', `/operator/accounts/${id}/sessions`),
  sessions: (id: string) => send<{ sessions: SessionInfo[] }>('GET', `/operator/accounts/${id}/sessions`),
  endSession: (id: string, session: string) => send('DELETE', `/operator/accounts/${id}/sessions/${session}`),
  clearSecondFactor: (id: string) => send('DELETE', `/operator/accounts/${id}/second-factor`),
  secondFactor: () => send<SecondFactorRule>('GET', '/operator/second-factor'),
  requireSecondFactor: (of: SecondFactorRule['second_factor']) =>
    send<SecondFactorRule>('PUT', '/operator/second-factor', { second_factor: of }),
  giveRole: (id: string, role: Static<typeof NewRole>) =>
    send<{ link: string | null }>('POST', `/operator/accounts/${id}/roles`, role),
  removeRole: (id: string, role: Static<typeof RoleRemoval>) =>
    send('POST', `/operator/accounts/${id}/roles/removal`, role),
  invite: (person: Static<typeof NewInvitation>) => send<{ link: string }>('POST', '/operator/invitations', person),
  invitationLink: (id: string) => send<{ link: string }>('POST', `/operator/invitations/${id}/link`),
  withdrawInvitation: (id: string) => send('DELETE', `/operator/invitations/${id}`),
  doctor: () => send<Static<typeof DoctorReply>['data']>('POST', '/operator/doctor', {}),
  system: () => send<Static<typeof SystemReply>['data']>('GET', '/operator/system'),
  audit: (filters: Filters) => list<AuditPage>('/operator/audit', filters),
  apps: () => send<{ apps: OperatorAppInfo[] }>('GET', '/operator/apps'),
  registerApp: (given: { url?: string; manifest?: string; listing: 'listed' | 'unlisted' }) =>
    send<{ secrets: AppSecretsInfo }>('POST', '/operator/apps', given),
  changeApp: (id: string, changes: { listing?: 'listed' | 'unlisted'; disabled?: boolean }) =>
    send<{ app: OperatorAppInfo }>('PUT', `/operator/apps/${id}`, changes),
  refreshApp: (id: string, manifest?: string) =>
    send<{ app: OperatorAppInfo }>('POST', `/operator/apps/${id}/refresh`, manifest === undefined ? {} : { manifest }),
  rotateAppSecret: (id: string) => send<{ secrets: AppSecretsInfo }>('POST', `/operator/apps/${id}/secret`),
  plans: () => send<{ plans: OperatorPlanInfo[] }>('GET', '/operator/plans'),
  createPlan: (plan: Static<typeof NewPlan>) => send('POST', '/operator/plans', plan),
  changePlan: (id: string, changes: Static<typeof PlanChange>) => send('PUT', `/operator/plans/${id}`, changes),
  invoices: (before?: number) =>
    send<{ invoices: OperatorInvoiceInfo[]; has_more: boolean }>(
      'GET',
      `/operator/invoices${before === undefined ? '' : `?before=${before}`}`,
    ),
  payInvoice: (id: string, reference: string) => send('POST', `/operator/invoices/${id}/paid`, { reference }),
  voidInvoice: (id: string) => send('POST', `/operator/invoices/${id}/void`, {}),
}
