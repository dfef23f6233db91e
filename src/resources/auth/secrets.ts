import { hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Db } from '../../core/storage/database.ts'
import type { OldSecret } from './queries.ts'

export const hashSecret = (secret: string) => hash('sha256', secret, 'buffer')

export const newClientId = () => `app_${randomBytes(12).toString('base64url')}`

/** The secret is shown once; only its hash is stored. */
export const newSecret = () => {
  const secret = `sk_${randomBytes(32).toString('base64url')}`
  return { secret, hash: hashSecret(secret) }
}

export const secretMatches = (secret: string, stored: Buffer) => timingSafeEqual(hashSecret(secret), stored)

const NO_SECRET = randomBytes(32)

export interface KnownSecrets {
  secret_hash: Buffer
  old_secret: OldSecret | undefined
}

/** Whether this is the current secret, or the old one during an overlap. Takes the same time in every case. */
export const isValidSecret = (secret: string, { secret_hash, old_secret }: KnownSecrets) => {
  const current = secretMatches(secret, secret_hash)
  const old = secretMatches(secret, old_secret?.hash ?? NO_SECRET)
  return current || (old && old_secret !== undefined && performance.now() < old_secret.ends)
}

const NAME = 'token_secret'
const generate = () => randomBytes(48).toString('base64url')

/**
 * The secret is stored in a file beside the embedded database. `link` fails if the file exists, so that of two
 * processes starting at once only one creates it.
 */
const fromFile = async (dataDir: string): Promise<string> => {
  const file = path.join(dataDir, 'token-secret')
  const existing = await readFile(file, 'utf8').catch(() => '')
  if (existing) return existing.trim()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, generate(), { mode: 0o600, flush: true })
  await link(draft, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft, { force: true })
  return fromFile(dataDir)
}

/** The secret is stored in the database, so that all nodes share it. */
const fromDatabase = async (db: Db): Promise<string> => {
  await db
    .insertInto('setting')
    .values({ name: NAME, value: generate() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { value } = await db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirstOrThrow()
  return value
}

export const masterSecret = (
  db: Db,
  config: { TOKEN_SECRET: string | undefined; DATABASE_URL: string | undefined; DATA_DIR: string },
): Promise<string> => {
  if (config.TOKEN_SECRET) return Promise.resolve(config.TOKEN_SECRET)
  return config.DATABASE_URL ? fromDatabase(db) : fromFile(config.DATA_DIR)
}

/** Derives one key per purpose, so that a signature for one purpose is never valid for another. */
export const deriveKey = (
  master: string,
  purpose:
    | 'tokens'
    | 'file links'
    | 'webhook secrets'
    | 'plans of assistants'
    | 'shared phone numbers'
    | `example app ${string}`,
) => Buffer.from(hkdfSync('sha256', master, '', `storefront-apps ${purpose}`, 32))
