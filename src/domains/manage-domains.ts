import { sql } from 'kysely'
import { invalid, notFound } from '../errors.ts'
import { type Db, errorCode, type Tx } from '../storage/database.ts'
import { claimHost, releaseHost } from '../stores/host-claims.ts'
import { makePrimary } from '../stores/primary-domain.ts'
import { lockStore } from '../stores/queries.ts'
import { hostName, readableHost } from './host-name.ts'
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
  const { rows } = await sql`
    select 1 from host_claim where host in (${host}, ${readableHost(host)}) limit 1`.execute(db)
  if (rows.length > 0) throw taken()
  return host
}

const countDomains = async (db: Db, store: string) => {
  const { domains } = await db
    .selectFrom('domain')
    .select((eb) => eb.fn.countAll<number>().as('domains'))
    .where('store_id', '=', store)
    .executeTakeFirstOrThrow()
  return domains
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

/** Waits for transactions that assign this domain to a landing page. */
const lockDomain = async (db: Tx, store: string, id: string) => {
  await lockStore(db, store)
  const domain = await db
    .selectFrom('domain')
    .select(['host', 'is_primary'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!domain) throw notFound('domain')
  return domain
}

/** Landing pages must keep their URL, so a domain in use can be neither deleted nor renamed. */
const refuseUsed = async (db: Tx, store: string, id: string, field: string, action: string) => {
  const { pages } = await db
    .selectFrom('landing_page')
    .select((eb) => eb.fn.countAll<number>().as('pages'))
    .where('store_id', '=', store)
    .where('domain_id', '=', id)
    .executeTakeFirstOrThrow()
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
