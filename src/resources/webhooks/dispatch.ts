import type { Logger } from 'pino'
import type { Reader } from '../../core/reading/reader.ts'
import type { Kinds } from '../../core/reading/texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import type { Hub } from '../events/hub.ts'
import type { EventKinds } from '../events/kinds.ts'
import type { FileUrlSigner, FileUrls } from '../files/file-urls.ts'
import type { Egress, Outcome } from './egress.ts'
import type { LeasedWebhook } from './leases.ts'
import type { PausedWebhooks } from './paused.ts'
import { RETRY_RULES, type RetryRules } from './retries.ts'
import type { WebhookSecrets } from './signing.ts'

export interface DispatchOptions {
  retries: RetryRules
  /** How often to poll for webhooks with pending work. */
  pollMs: number
  /** How long an idle webhook's lease is kept. */
  idleMs: number
}

export const DISPATCH_OPTIONS: DispatchOptions = { retries: RETRY_RULES, pollMs: 1_000, idleMs: 2_000 }

export interface DispatcherServices {
  db: Db
  hub: Hub
  log: Logger
  accessCache: AccessCache
  fileUrls: FileUrlSigner
  kinds: Kinds<FileUrls>
  eventKinds: EventKinds
  secrets: WebhookSecrets
  egress: Egress
  paused: PausedWebhooks
  count: (outcome: Outcome) => void
  /** Database connections of this process. */
  pool: number
  options: DispatchOptions
}

/** What the drains of a process share. */
export interface Dispatch
  extends Pick<
    DispatcherServices,
    'db' | 'log' | 'accessCache' | 'eventKinds' | 'secrets' | 'egress' | 'paused' | 'count' | 'options'
  > {
  /** Queues sends fairly, so that no store or app blocks the others. */
  slots: <T>(webhook: LeasedWebhook, work: () => Promise<T>) => Promise<T>
  /** Queues database reads fairly, on behalf of the installation. */
  inTurn: <T>(webhook: LeasedWebhook, work: () => Promise<T>) => Promise<T>
  readerOf: (webhook: LeasedWebhook) => Promise<Reader>
  isCrowded: () => boolean
}
