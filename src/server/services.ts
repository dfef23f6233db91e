import type { Logger } from 'pino'
import type { AccessCache } from '../auth/access-cache.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import type { Config } from '../config/config.ts'
import type { DemoCredentials } from '../demo/load.ts'
import type { FileUrlSigner } from '../files/file-urls.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Blobs } from '../storage/blobs/blobs.ts'
import type { Db } from '../storage/database.ts'

/** What the running service is made of; routes take what they need from here. */
export interface Services {
  config: Config
  db: Db
  blobs: Blobs
  fileUrls: FileUrlSigner
  accessCache: AccessCache
  tokens: AccessTokens
  metrics: Metrics
  log: Logger
  /** Where there is a demo store: how to call it, told to whoever reads the documents. */
  demo?: DemoCredentials | undefined
}
