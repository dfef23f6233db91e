import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

const STEP_SECONDS = 30
const DIGITS = 6
/** Clocks of phones are not exact: the codes before and after the current one are accepted too. */
const DRIFT_STEPS = 1

/** Derives the secret of an authenticator from the service's secret and the authenticator's salt. */
export type TotpSecret = (salt: string) => Buffer

/** 160 bits, as RFC 4226 recommends. */
export const createTotpSecret =
  (master: string): TotpSecret =>
  (salt) =>
    Buffer.from(hkdfSync('sha256', master, salt, 'storefront-apps authenticator', 20))

export const stepAt = (milliseconds: number) => Math.floor(milliseconds / 1000 / STEP_SECONDS)

/** The code of a time step, after RFC 6238 and 4226. */
export const totpCode = (secret: Buffer, step: number) => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The time step around `now` that has this code, if it is later than the last accepted one. */
export const matchingStep = (secret: Buffer, code: string, { now, last }: { now: number; last: number }) => {
  const current = stepAt(now)
  const given = Buffer.from(code)
  let found: number | undefined
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step++) {
    const expected = Buffer.from(totpCode(secret, step))
    if (given.length === expected.length && timingSafeEqual(given, expected) && step > last) found ??= step
  }
  return found
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding: how authenticator apps take a secret. Lengths that are multiples of five bytes only. */
export const base32 = (bytes: Buffer) => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('')
}

/** What the QR code says: https://github.com/google/google-authenticator/wiki/Key-Uri-Format. */
export const otpauthAddress = (secret: Buffer, { issuer, account }: { issuer: string; account: string }) => {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&digits=${DIGITS}&period=${STEP_SECONDS}`
}
