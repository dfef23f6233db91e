import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pino from 'pino'
import { createPasswords } from '../accounts/hash-password.ts'
import { createFirstCode } from '../accounts/one-time-links.ts'
import { buildApp, bulkResources, eventKinds, kinds } from '../app.ts'
import { createAccessCache } from '../auth/access-cache.ts'
import { createAccessTokens } from '../auth/access-tokens.ts'
import { readConfig } from '../config/config.ts'
import { buildDocument } from '../docs/build-document.ts'
import { createHub } from '../events/hub.ts'
import { createFileUrls } from '../files/file-urls.ts'
import { createMetrics } from '../http/metrics.ts'
import { openBlobs } from '../storage/blobs/blobs.ts'
import { openDatabase } from '../storage/database.ts'
import { startWebhooks } from '../webhooks/start.ts'

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
  const app = await buildApp({
    config,
    db,
    blobs,
    fileUrls,
    accessCache,
    tokens: createAccessTokens(Buffer.alloc(32)),
    passwords: createPasswords(),
    firstCode: createFirstCode(''),
    metrics,
    hub,
    webhooks: startWebhooks(given).webhooks,
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
