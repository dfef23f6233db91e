import type { Static } from 'typebox'
import type { Webhook, WebhookDelivery } from '../../../client/src/types.ts'
import type {
  AppReply,
  CallLine,
  CallList,
  Counts,
  DeveloperApps,
  Errors,
  Retries,
  UseReply,
} from '../../../src/resources/calls/schema.ts'
import { send } from './console.ts'

export type { CallLine, InstallationUseInfo } from '../../../src/resources/calls/schema.ts'

type Apps = Static<typeof DeveloperApps>['data']
type App = Static<typeof AppReply>['data']
type Log = Static<typeof CallList>['data']
type Count = Static<typeof Counts>['data']
export type ErrorGroup = Static<typeof Errors>['data']['errors'][number]
export type Retry = Static<typeof Retries>['data']['retries'][number]

/** A webhook of any store, with what has not arrived. */
export type WebhookInfo = Webhook & {
  store_id: string
  store: string
  behind: number
  waiting: number
  failed: number
}
export type Delivery = WebhookDelivery
interface Changed {
  webhook: WebhookInfo
}
interface WebhookPage {
  webhooks: WebhookInfo[]
  next_cursor: string | null
  is_on: boolean
}
interface DeliveryPage extends Changed {
  deliveries: Delivery[]
  next_cursor: string | null
}
type TestOutcome = Pick<Delivery, 'status' | 'error' | 'ms'> & { is_delivered: boolean }
const hook = (app: string, id: string) => `/apps/${app}/webhooks/${id}`

export interface Revocation {
  id: string
  permissions: string[]
}

/** What apps call and may do, for their developers and for operators. */
export const developerApi = {
  apps: () => send<Apps>('GET', '/developer/apps'),
  app: (id: string) => send<App>('GET', `/developer/apps/${id}`),
  token: (app: string, installation_id: string) =>
    send<{ token: string; ttl: number }>('POST', `/apps/${app}/token`, { installation_id }),
  calls: (app: string, query: URLSearchParams) => send<Log>('GET', `/apps/${app}/calls?${query}`),
  call: (app: string, request: string) =>
    send<{ calls: CallLine[] }>('GET', `/apps/${app}/calls/${encodeURIComponent(request)}`),
  counts: (app: string) => send<Count>('GET', `/apps/${app}/counts?hours=24`),
  errors: (app: string) => send<{ errors: ErrorGroup[] }>('GET', `/apps/${app}/errors?hours=168`),
  retries: (app: string) => send<{ retries: Retry[] }>('GET', `/apps/${app}/retries`),
  permissions: (app: string, days: number) =>
    send<Static<typeof UseReply>['data']>('GET', `/apps/${app}/permissions?days=${days}`),
  revoke: (app: string, installations: Revocation[]) =>
    send<{ revoked: number; undo: string[] }>('POST', `/apps/${app}/permissions/revoke`, { installations }),
  askForPermissions: (app: string, installation_id: string, permissions: string[]) =>
    send('POST', `/apps/${app}/permissions/ask`, { installation_id, permissions }),
  restore: (app: string, undo: string[]) =>
    send<{ restored: number }>('POST', `/apps/${app}/permissions/restore`, { undo }),
  webhooks: (app: string, query: URLSearchParams) => send<WebhookPage>('GET', `/apps/${app}/webhooks?${query}`),
  webhook: (app: string, id: string, query: URLSearchParams) => send<DeliveryPage>('GET', `${hook(app, id)}?${query}`),
  pauseWebhook: (app: string, id: string) => send<Changed>('POST', `${hook(app, id)}/pause`),
  resumeWebhook: (app: string, id: string, from: 'stopped' | 'now') =>
    send<Changed>('POST', `${hook(app, id)}/resume`, { from }),
  replayWebhook: (app: string, id: string, what: { failed: true } | { ids: string[] }) =>
    send<Changed & { events: number }>('POST', `${hook(app, id)}/replay`, what),
  rotateWebhook: (app: string, id: string, overlap: number) =>
    send<Changed & { secret: string }>('POST', `${hook(app, id)}/secret`, { overlap }),
  testWebhook: (app: string, id: string) => send<{ test: TestOutcome }>('POST', `${hook(app, id)}/test`),
}
