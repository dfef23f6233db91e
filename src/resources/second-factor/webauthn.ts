import { createPublicKey, hash, randomBytes, timingSafeEqual, verify } from 'node:crypto'

// What Web Authentication asks of a server that does not care who made a passkey (attestation "none").

/** COSE numbers of the signatures that are accepted, with the hash that Node's verify() takes. */
const ALGORITHMS: ReadonlyMap<number, { digest: 'sha256' | null; key: string }> = new Map([
  [-7, { digest: 'sha256', key: 'ec' }],
  [-8, { digest: null, key: 'ed25519' }],
  [-257, { digest: 'sha256', key: 'rsa' }],
])

export const ACCEPTED_ALGORITHMS = [...ALGORITHMS.keys()]

export const newChallenge = () => randomBytes(32).toString('base64url')

/** Where a passkey is made or used, and what it was asked to sign. */
export interface Ceremony {
  challenge: string
  origin: string
  /** The host that the passkey belongs to. */
  rpId: string
}

export interface Passkey {
  credential_id: string
  /** SPKI, in DER. */
  public_key: Buffer
  algorithm: number
  counter: number
}

const decode = (text: string) => Buffer.from(text, 'base64url')

const refuse = (reason: string): never => {
  throw new Error(reason)
}

/** The browser writes which page asked, and for what. It cannot be forged by the page. */
const checkClientData = (text: string, type: 'webauthn.create' | 'webauthn.get', { challenge, origin }: Ceremony) => {
  const given = JSON.parse(decode(text).toString('utf8')) as Record<string, unknown>
  if (given.type !== type) refuse('It answers another question.')
  if (given.challenge !== challenge) refuse('It signed another challenge.')
  if (given.origin !== origin || given.crossOrigin === true) refuse('It was asked by another page.')
}

const USER_PRESENT = 0x01
const HAS_CREDENTIAL = 0x40
const HEADER = 37
const AAGUID = 16

/** Hash of the host (32 bytes), flags (1), counter (4); for a new passkey also its maker (16), length (2) and id. */
const readAuthenticatorData = (text: string, { rpId }: Ceremony) => {
  const bytes = decode(text)
  if (bytes.length < HEADER) refuse('The data of the authenticator is too short.')
  if (!timingSafeEqual(bytes.subarray(0, 32), hash('sha256', rpId, 'buffer'))) refuse('It belongs to another host.')
  const flags = bytes.readUInt8(32)
  if (!(flags & USER_PRESENT)) refuse('Nobody has touched it.')
  return { bytes, flags, counter: bytes.readUInt32BE(33) }
}

const readCredentialId = (bytes: Buffer) => {
  const start = HEADER + AAGUID + 2
  if (bytes.length < start) refuse('There is no passkey in it.')
  const length = bytes.readUInt16BE(start - 2)
  if (length === 0 || bytes.length < start + length) refuse('The id of the passkey is cut off.')
  return bytes.subarray(start, start + length).toString('base64url')
}

const readKey = (der: Buffer, algorithm: number) => {
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  if (key.asymmetricKeyType !== ALGORITHMS.get(algorithm)?.key) refuse('Its kind of key is not accepted.')
  return key
}

export interface NewCredential {
  id: string
  clientDataJSON: string
  authenticatorData: string
  publicKey: string
  algorithm: number
}

/** The passkey that a browser has made. Throws if it was not made here, and now. */
export const readNewPasskey = (given: NewCredential, ceremony: Ceremony): Passkey => {
  checkClientData(given.clientDataJSON, 'webauthn.create', ceremony)
  const { bytes, flags, counter } = readAuthenticatorData(given.authenticatorData, ceremony)
  if (!(flags & HAS_CREDENTIAL)) refuse('There is no passkey in it.')
  const credential_id = readCredentialId(bytes)
  if (credential_id !== given.id) refuse('The passkey has another id.')
  const public_key = decode(given.publicKey)
  readKey(public_key, given.algorithm)
  return { credential_id, public_key, algorithm: given.algorithm, counter }
}

export interface Assertion {
  clientDataJSON: string
  authenticatorData: string
  signature: string
}

/** The counter of a passkey after this use of it. Throws unless it has signed this challenge. */
export const checkAssertion = (given: Assertion, passkey: Omit<Passkey, 'credential_id'>, ceremony: Ceremony) => {
  checkClientData(given.clientDataJSON, 'webauthn.get', ceremony)
  const { bytes, counter } = readAuthenticatorData(given.authenticatorData, ceremony)
  const signed = Buffer.concat([bytes, hash('sha256', decode(given.clientDataJSON), 'buffer')])
  const key = readKey(passkey.public_key, passkey.algorithm)
  const { digest } = ALGORITHMS.get(passkey.algorithm) as { digest: 'sha256' | null }
  if (!verify(digest, signed, key, decode(given.signature))) refuse('The signature is wrong.')
  // Passkeys that are shared between devices do not count: theirs stays 0.
  if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) refuse('A copy of the passkey was used.')
  return counter
}
