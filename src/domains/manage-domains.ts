import { sql } from 'kysely'
import { invalid, notFound } from '../errors.ts'
import { errorCode, type Tx } from '../storage/database.ts'
import { claimHost, releaseHost } from '../stores/host-claims.ts'
import { makePrimary } from '../stores/primary-domain.ts'
import { lockStore } from '../stores/queries.ts'
import { hostName, readableHost } from './host-name.ts'
import { countDomains, countLandingPages, isClaimed, readAndLockDomain } from './queries.ts'
import type { DomainChanges, NewDomain } from './schema.ts'

export const MAX_DOMAINS = 100

const UNIQUE_VIOLATION = '23505'
const taken = () => invalid({ host: ['is already taken'] })

const refuseTaken = (error: unknown): never => {
  throw errorCode(error) === UNIQUE_VIOLATION ? taken() : error
}

/** Host names are unique across all stores, whether given in ASCII or Unicode. */
const requireFreeHost = async (db: Tx, text: string): Promise<string> => {
  const host = hostName(text)
  if (host === undefined)
    throw invalid({ host: ['must be a host name such as shop.example, without port and path, and not an IP address'] })
  if (await isClaimed(db, [host, readableHost(host)])) throw taken()
  return host
}

export const createDomain = async (db: Tx, store: string, { host: text, is_primary }: NewDomain): Promise<string> => {
  // Concurrent requests must not exceed the limit together, nor both become primary.
  await lockStore(db, store)
  const host = await requireFreeHost(db, text)
  if ((await countDomains(db, store)) >= MAX_DOMAINS)
    throw invalid({ host: [`cannot be added: the store has ${MAX_DOMAINS} domains already`] })
  await claimHost(db, store, host).catch(refuseTaken)
  const { id } = await db
    .insertInto('domain')
    .values({ store_id: store, host })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(refuseTaken)
  if (is_primary) await makePrimary(db, store, id).catch(refuseTaken)
  return id
}

const lockDomain = async (db: Tx, store: string, id: string) => {
  await lockStore(db, store)
  const domain = await readAndLockDomain(db, store, id)
  if (!domain) throw notFound('domain')
  return domain
}

/** Landing pages must keep their URL, so a domain in use can be neither deleted nor renamed. */
const refuseUsed = async (db: Tx, store: string, id: string, field: string, action: string) => {
  const pages = await countLandingPages(db, store, id)
  if (pages > 0)
    throw invalid({
      [field]: [
        `cannot be ${action}: ${pages === 1 ? '1 landing page uses' : `${pages} landing pages use`} this domain`,
      ],
    })
}

export const updateDomain = async (db: Tx, store: string, id: string, changes: DomainChanges): Promise<void> => {
  const domain = await lockDomain(db, store, id)
  if (changes.is_primary === false && domain.is_primary)
    throw invalid({ is_primary: ['cannot be unset: make another domain the primary one instead'] })
  if (changes.host !== undefined && hostName(changes.host) !== domain.host) {
    const host = await requireFreeHost(db, changes.host)
    await refuseUsed(db, store, id, 'host', 'changed')
    await releaseHost(db, store, domain.host)
    await claimHost(db, store, host).catch(refuseTaken)
    await db
      .updateTable('domain')
      .set({ host, updated_at: sql`now()` })
      .where('store_id', '=', store)
      .where('id', '=', id)
      .execute()
      .catch(refuseTaken)
    if (domain.is_primary) await makePrimary(db, store, id).catch(refuseTaken)
  }
  if (changes.is_primary && !domain.is_primary) await makePrimary(db, store, id).catch(refuseTaken)
}

export const deleteDomain = async (db: Tx, store: string, id: string): Promise<void> => {
  const domain = await lockDomain(db, store, id)
  if (domain.is_primary)
    throw invalid({ id: ['cannot be deleted: it is the primary domain. Make another one primary first'] })
  await refuseUsed(db, store, id, 'id', 'deleted')
  await releaseHost(db, store, domain.host)
  await db.deleteFrom('domain').where('store_id', '=', store).where('id', '=', id).execute()
}
