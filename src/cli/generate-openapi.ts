import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pino from 'pino'
import { buildApp, bulkResources, eventKinds, kinds } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { createMetrics } from '../core/http/metrics.ts'
import { openBlobs } from '../core/storage/blobs/open-blobs.ts'
import { openDatabase } from '../core/storage/database.ts'
import { buildDocument } from '../docs/build-document.ts'
import { createPasswords } from '../resources/accounts/hash-password.ts'
import { createFirstCode } from '../resources/accounts/one-time-links.ts'
import { createLifecycle } from '../resources/apps/lifecycle.ts'
import { createSessionTokens } from '../resources/apps/session-tokens.ts'
import { createAccessCache } from '../resources/auth/access-cache.ts'
import { createAccessTokens } from '../resources/auth/access-tokens.ts'
import { createCallRecorder } from '../resources/calls/record-calls.ts'
import { createHub } from '../resources/events/hub.ts'
import { createFileUrls } from '../resources/files/file-urls.ts'
import { createTotpSecret } from '../resources/second-factor/totp.ts'
import { createSharedPhones } from '../resources/shared-phones/shared-phones.ts'
import { RETRY_RULES } from '../resources/webhooks/retries.ts'
import { startWebhooks } from '../resources/webhooks/start.ts'

export { contractOf } from '../docs/contract.ts'

/** The OpenAPI document of a server with default settings. Routes are only inspected, so no database is needed. */
export const generateDocument = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-openapi-'))
  const config = readConfig({ DATA_DIR: folder })
  const database = openDatabase({}, { pool: 2, prepare: false, name: 'openapi' })
  const { db } = database
  const blobs = await openBlobs(config)
  const fileUrls = createFileUrls(`${config.baseUrl}/files`, Buffer.alloc(32), config.FILE_URL_SECONDS)
  const accessCache = createAccessCache(db, { heardUntil: 0 })
  const metrics = createMetrics(database)
  const hub = createHub(db)
  const log = pino({ level: 'silent' })
  const given = { config, db, hub, log, accessCache, fileUrls, metrics, kinds, eventKinds, key: Buffer.alloc(32) }
  const { webhooks } = startWebhooks(given)
  const app = await buildApp({
    config,
    db,
    blobs,
    fileUrls,
    accessCache,
    tokens: createAccessTokens(Buffer.alloc(32)),
    passwords: createPasswords(),
    firstCode: createFirstCode(''),
    totpSecret: createTotpSecret(''),
    sharedPhones: createSharedPhones(Buffer.alloc(32), config.SHARED_PHONE_COUNTS),
    metrics,
    calls: createCallRecorder(db, log, { days: 0 }),
    hub,
    webhooks,
    sessionTokens: createSessionTokens(''),
    assistants: { key: Buffer.alloc(0), connect: () => Promise.reject(new Error('There is no database.')) },
    lifecycle: createLifecycle({ ...webhooks, db, log, retries: RETRY_RULES, isOn: false }),
    kinds,
    eventKinds,
    bulkResources,
    log,
    stopping: new AbortController().signal,
  })
  try {
    return buildDocument(app, { baseUrl: config.baseUrl })
  } finally {
    await app.close()
    blobs.close()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}
