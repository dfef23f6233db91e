import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../errors.ts'

const LINK_SECONDS = 3600

interface Payable {
  id: string
  number: number
  total: string
  currency: string
}

/** A secret of Standard Webhooks (`whsec_…`) is base64; any other is used as it is. */
const keyOf = (secret: string) =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)

/**
 * Fills in the operator's template. The signature is an HMAC with SHA-256, in hexadecimal, of
 * `invoice.amount.currency.expires`, so that the payment page can trust the amount.
 */
export const paymentLink = (
  template: string,
  secret: string,
  { id, number, total, currency }: Payable,
  now: number,
) => {
  const expires = Math.floor(now / 1000) + LINK_SECONDS
  const amount = String(Number(total))
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${amount}.${currency}.${expires}`).digest('hex')
  const values: Record<string, string> = {
    invoice: id,
    number: String(number),
    amount,
    currency,
    expires: String(expires),
    signature,
  }
  const url = template.replaceAll(/\{([a-z]{1,20})\}/g, (hole, name) => encodeURIComponent(values[name] ?? hole))
  return { url, expires_at: new Date(expires * 1000).toISOString() }
}

/** How far the clock of a payment service may be off, in seconds. */
const TOLERANCE = 300

const refused = () => new ApiError('invalid_credentials', 'The signature of this message is missing or wrong.')

const single = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)

/** Checks a message by Standard Webhooks 1.0: signed with the shared secret, over its id, its time and its body. */
export const checkSignature = (
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  now: number,
) => {
  const id = single(headers['webhook-id'])
  const timestamp = single(headers['webhook-timestamp'])
  const given = single(headers['webhook-signature'])
  if (!id || !timestamp || !given || !/^\d{1,12}$/.test(timestamp)) throw refused()
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE) throw refused()
  const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest()
  const matches = given
    .split(' ')
    .slice(0, 10)
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
  if (!matches) throw refused()
}
