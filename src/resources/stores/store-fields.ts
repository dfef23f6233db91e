import { sql } from 'kysely'
import { type Db, refuseDuplicate } from '../../core/storage/database.ts'
import { OperatorError } from '../../errors.ts'

export interface NewStore {
  /** Given by a caller who may have to send it again. */
  id?: string | undefined
  name: string
  /** Links in orders and landing pages point to this domain. */
  domain?: string | undefined
  currency?: string | undefined
}

export const SETTINGS = ['time_zone', 'language', 'contact_email', 'contact_phone', 'contact_address'] as const

export type StoreChanges = Partial<Omit<NewStore, 'id'>> & {
  [Field in (typeof SETTINGS)[number]]?: string | null | undefined
}

const MAX_DOMAIN_LENGTH = 253
const HOST = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*(\.[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*)*(:\d{1,5})?$/u

const hostOf = (text: string) => {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  return URL.canParse(address) ? new URL(address).host : ''
}

/** The host name of the store's links, with an optional port. */
const checkDomain = (domain: string) => {
  const host = hostOf(domain)
  if (HOST.test(domain) && domain.length <= MAX_DOMAIN_LENGTH && host !== '') return
  const meant = HOST.test(host) && host.length <= MAX_DOMAIN_LENGTH ? host : 'shop.example'
  throw new OperatorError(`--domain must be a host name, without https:// and without a path: --domain ${meant}`)
}

/** Currencies of all countries, plus those that Node knows from ISO 4217. */
export const knownCurrencies = async (db: Db) => {
  const { rows } = await sql<{ currency: string }>`select distinct currency from country`.execute(db)
  return new Set([...rows.map(({ currency }) => currency), ...Intl.supportedValuesOf('currency')])
}

const checkCurrency = async (db: Db, currency: string) => {
  const known = await knownCurrencies(db)
  if (known.has(currency)) return
  const meant = currency.trim().toUpperCase()
  throw new OperatorError(
    known.has(meant)
      ? `--currency must be in capital letters: --currency ${meant}`
      : '--currency must be a code of ISO 4217, such as TND, EUR or USD.',
  )
}

export const refuseTakenDomain = (domain: string | undefined) =>
  refuseDuplicate(() => new OperatorError(`Another store has the domain ${domain}.`))

export const checkStore = async (db: Db, { name, domain, currency }: StoreChanges) => {
  if (name?.trim() === '') throw new OperatorError('--name must not be empty.')
  if (domain !== undefined) checkDomain(domain)
  if (currency !== undefined) await checkCurrency(db, currency)
}
