import type { Logger } from 'pino'
import type { Passwords } from '../accounts/hash-password.ts'
import type { FirstCode } from '../accounts/one-time-links.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import type { BulkResources } from '../bulk/bulk-resources.ts'
import type { Config } from '../config/config.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import type { Hub } from '../events/hub.ts'
import type { EventKinds } from '../events/kinds.ts'
import type { FileUrlSigner, FileUrls } from '../files/file-urls.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Kinds } from '../reading/texts.ts'
import type { Blobs } from '../storage/blobs/blobs.ts'
import type { Db } from '../storage/database.ts'
import type { Replicas } from '../storage/replicas.ts'
import type { Webhooks } from '../webhooks/start.ts'

/** The parts of the running service that routes use. */
export interface Services {
  config: Config
  db: Db
  /** Standbys that some reads may go to. */
  replicas?: Replicas | undefined
  blobs: Blobs
  fileUrls: FileUrlSigner
  accessCache: AccessCache
  tokens: AccessTokens
  passwords: Passwords
  /** Derives the code of the link for the first operator. */
  firstCode: FirstCode
  metrics: Metrics
  /** Notifies waiting event streams that a store has changed. */
  hub: Hub
  webhooks: Webhooks
  /** What the resources declare; see `collectDeclarations`. */
  kinds: Kinds<FileUrls>
  eventKinds: EventKinds
  bulkResources: BulkResources
  log: Logger
  /** Aborted when the service is asked to stop, before it closes its port. */
  stopping: AbortSignal
  /** Credentials of the demo store, shown in the documentation if there is one. */
  demo?: DemoCredentials | undefined
}
