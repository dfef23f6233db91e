import { sql } from 'kysely'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

export const domainExists = createExistenceCheck('domain')

/** Whether any store uses one of these host names. */
export const isClaimed = async (db: Tx, hosts: readonly string[]) => {
  const { rows } = await sql`select 1 from host_claim where host in (${sql.join(hosts)}) limit 1`.execute(db)
  return rows.length > 0
}

export const countDomains = async (db: Db, store: StoreId) => {
  const { domains } = await db
    .selectFrom('domain')
    .select((eb) => eb.fn.countAll<number>().as('domains'))
    .where('store_id', '=', store)
    .executeTakeFirstOrThrow()
  return domains
}

/** The number of landing pages on a domain. */
export const countLandingPages = async (db: Tx, store: StoreId, domain: string) => {
  const { pages } = await db
    .selectFrom('landing_page')
    .select((eb) => eb.fn.countAll<number>().as('pages'))
    .where('store_id', '=', store)
    .where('domain_id', '=', domain)
    .executeTakeFirstOrThrow()
  return pages
}
