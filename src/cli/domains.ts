import type { Db, Tx } from '../core/storage/database.ts'
import type { StoreId } from '../core/storage/store-id.ts'
import { ApiError, OperatorError } from '../errors.ts'
import { createDomain } from '../resources/domains/create-domain.ts'
import { deleteDomain } from '../resources/domains/delete-domain.ts'
import { updateDomain } from '../resources/domains/update-domain.ts'
import { requireStore } from '../resources/stores/queries.ts'
import type { Command } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { findStoreOf } from './fields.ts'
import { recordedInStore } from './recorded.ts'

const store = { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' }
const DOMAIN_ID = { name: 'DOMAIN_ID', about: 'Id of the domain, from domain list.' }

/** Runs the operation of the API. Its errors are about the domain, whichever field they name. */
const change = <T extends object | undefined>(
  db: Db,
  command: string,
  store: StoreId,
  work: (db: Tx) => Promise<T>,
): Promise<T> =>
  recordedInStore(db, command, store, work).catch((error) => {
    const messages = error instanceof ApiError ? Object.values(error.fields).flat() : []
    throw messages.length > 0 ? new OperatorError(`The domain ${messages.join(', and ')}.`) : error
  })

const domainsOf = (db: Db, store: StoreId) =>
  db
    .selectFrom('domain')
    .select(['id', 'host', 'is_primary', 'created_at'])
    .where('store_id', '=', store)
    .orderBy('created_at')
    .orderBy('id')

const findDomain = (db: Db, store: StoreId, id: string) => domainsOf(db, store).where('id', '=', id).executeTakeFirst()

export const domainCommands: readonly Command[] = [
  {
    name: 'domain list',
    summary: 'Lists the domains of a store.',
    options: { store },
    run: (input, io) =>
      withDatabase(io, 'domain list', async ({ db }) => ({
        value: await domainsOf(db, await requireStore(db, input.text('store'))).execute(),
      })),
  },
  {
    name: 'domain add',
    summary: 'Adds a domain to a store, for its links and landing pages.',
    operands: [{ name: 'HOST', about: 'Host name, such as shop.example. No other store may have it.' }],
    options: { store, primary: { about: 'Links in orders and landing pages use it from now on.' } },
    run: (input, io) =>
      withDatabase(io, 'domain add', async ({ db }) => {
        const store = await requireStore(db, input.text('store'))
        const domain = { host: input.text('HOST'), is_primary: input.has('primary') }
        const add = async (db: Tx) => findDomain(db, store, await createDomain(db, store, domain))
        return { value: await change(db, 'domain add', store, add) }
      }),
  },
  {
    name: 'domain primary',
    summary: 'Makes a domain the primary one of its store.',
    details: 'Links in orders, and in landing pages without a domain of their own, use it at once.',
    operands: [DOMAIN_ID],
    run: (input, io) =>
      withDatabase(io, 'domain primary', async ({ db }) => {
        const id = input.text('DOMAIN_ID')
        const store = await findStoreOf(db, 'domain', id, 'domain')
        const make = async (db: Tx) => {
          await updateDomain(db, store, id, { is_primary: true })
          return findDomain(db, store, id)
        }
        return { value: await change(db, 'domain primary', store, make) }
      }),
  },
  {
    name: 'domain remove',
    summary: 'Deletes a domain.',
    details: 'The primary domain, and one that landing pages use, cannot be deleted.',
    operands: [DOMAIN_ID],
    run: (input, io) =>
      withDatabase(io, 'domain remove', async ({ db }) => {
        const id = input.text('DOMAIN_ID')
        const store = await findStoreOf(db, 'domain', id, 'domain')
        const remove = async (db: Tx) => {
          const domain = await findDomain(db, store, id)
          await deleteDomain(db, store, id)
          return domain
        }
        return { value: await change(db, 'domain remove', store, remove) }
      }),
  },
]
