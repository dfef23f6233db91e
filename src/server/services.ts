import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../core/http/metrics.ts'
import type { Kinds } from '../core/reading/texts.ts'
import type { Blobs } from '../core/storage/blobs/blobs.ts'
import type { Db } from '../core/storage/database.ts'
import type { DiskSpace } from '../core/storage/disk-space.ts'
import type { Replicas } from '../core/storage/replicas.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import type { Passwords } from '../resources/accounts/hash-password.ts'
import type { FirstCode } from '../resources/accounts/one-time-links.ts'
import type { Lifecycle } from '../resources/apps/lifecycle.ts'
import type { SessionTokens } from '../resources/apps/session-tokens.ts'
import type { AccessCache } from '../resources/auth/access-cache.ts'
import type { AccessTokens } from '../resources/auth/access-tokens.ts'
import type { BulkResources } from '../resources/bulk/bulk-resources.ts'
import type { CallRecorder } from '../resources/calls/record-calls.ts'
import type { Hub } from '../resources/events/hub.ts'
import type { EventKinds } from '../resources/events/kinds.ts'
import type { FileUrlSigner, FileUrls } from '../resources/files/file-urls.ts'
import type { TotpSecret } from '../resources/second-factor/totp.ts'
import type { SharedPhones } from '../resources/shared-phones/shared-phones.ts'
import type { Webhooks } from '../resources/webhooks/start.ts'

/** The parts of the running service that routes use. */
export interface Services {
  config: Config
  db: Db
  /** Standbys that some reads may go to. */
  replicas?: Replicas | undefined
  blobs: Blobs
  /** Of the embedded PostgreSQL; undefined if the database is elsewhere. */
  diskSpace?: DiskSpace | undefined
  fileUrls: FileUrlSigner
  accessCache: AccessCache
  tokens: AccessTokens
  /** Tell an app who has opened it. */
  sessionTokens: SessionTokens
  /** Tells apps what happens to their installations. */
  lifecycle: Lifecycle
  /** What plans of assistants need: a key to sign them with, and connections to try them on. */
  assistants: { key: Buffer; connect: () => Promise<pg.PoolClient> }
  passwords: Passwords
  /** Derives the code of the link for the first operator. */
  firstCode: FirstCode
  /** Derives the secrets of authenticator apps. */
  totpSecret: TotpSecret
  /** What stores share about phone numbers. */
  sharedPhones: SharedPhones
  metrics: Metrics
  calls: CallRecorder
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
  /** Serves the example apps of the demo store, whose secrets are derived from this one. */
  exampleApps?: { master: string } | undefined
}
