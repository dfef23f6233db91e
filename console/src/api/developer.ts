import type { Static } from 'typebox'
import type {
  AppReply,
  CallLine,
  CallList,
  Counts,
  DeveloperApps,
  Errors,
  InstallationUseInfo,
  Retries,
} from '../../../src/resources/calls/schema.ts'
import { send } from './console.ts'

export type { CallLine, InstallationUseInfo } from '../../../src/resources/calls/schema.ts'

type Apps = Static<typeof DeveloperApps>['data']
type App = Static<typeof AppReply>['data']
type Log = Static<typeof CallList>['data']
type Count = Static<typeof Counts>['data']
export type ErrorGroup = Static<typeof Errors>['data']['errors'][number]
export type Retry = Static<typeof Retries>['data']['retries'][number]
export interface Revocation {
  id: string
  permissions: string[]
}

/** What apps call and may do, for their developers and for operators. */
export const developerApi = {
  apps: () => send<Apps>('GET', '/developer/apps'),
  app: (id: string) => send<App>('GET', `/developer/apps/${id}`),
  calls: (app: string, query: URLSearchParams) => send<Log>('GET', `/apps/${app}/calls?${query}`),
  call: (app: string, request: string) =>
    send<{ calls: CallLine[] }>('GET', `/apps/${app}/calls/${encodeURIComponent(request)}`),
  counts: (app: string) => send<Count>('GET', `/apps/${app}/counts?hours=24`),
  errors: (app: string) => send<{ errors: ErrorGroup[] }>('GET', `/apps/${app}/errors?hours=168`),
  retries: (app: string) => send<{ retries: Retry[] }>('GET', `/apps/${app}/retries`),
  permissions: (app: string, days: number) =>
    send<{ is_counted: boolean; installations: InstallationUseInfo[] }>('GET', `/apps/${app}/permissions?days=${days}`),
  revoke: (app: string, installations: Revocation[]) =>
    send<{ revoked: number; undo: string[] }>('POST', `/apps/${app}/permissions/revoke`, { installations }),
  restore: (app: string, undo: string[]) =>
    send<{ restored: number }>('POST', `/apps/${app}/permissions/restore`, { undo }),
}
