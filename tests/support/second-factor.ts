import { createSign, generateKeyPairSync, hash, randomBytes } from 'node:crypto'
import { stepAt, totpCode } from '../../src/resources/second-factor/totp.ts'
import type { TestApi } from './api.ts'
import { consoleCaller, cookieOf, PASSWORD } from './console.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const fromBase32 = (text: string) => {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** What an authenticator app shows, now or some steps of thirty seconds later. */
export const codeOf = (secret: string, later = 0) => totpCode(fromBase32(secret), stepAt(Date.now()) + later)

/** Signs in with the password alone. */
export const signInAgain = async (api: Pick<TestApi, 'app' | 'origin'>, { email }: { email: string }) => {
  const reply = await consoleCaller(api).post('/sign-in', { email, password: PASSWORD })
  return { console: consoleCaller(api, cookieOf(reply)), pending: reply.body.data?.pending }
}

interface Options {
  challenge: string
  rpId?: string
  rp?: { id: string }
}

/** A passkey as a phone or a security key keeps it: makes a credential, and signs with it. */
export const createSoftPasskey = (origin: string) => {
  const id = randomBytes(20)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let counter = 0
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const header = (host: string, flags: number) => {
    const bytes = Buffer.alloc(37)
    hash('sha256', host, 'buffer').copy(bytes)
    bytes.writeUInt8(flags, 32)
    bytes.writeUInt32BE(counter, 33)
    return bytes
  }
  return {
    create: ({ challenge, rp }: Options) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      return {
        id: id.toString('base64url'),
        transports: ['internal'],
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        authenticatorData: Buffer.concat([header(rp?.id ?? '', 0x41), Buffer.alloc(16), length, id]).toString(
          'base64url',
        ),
        publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
        algorithm: -7,
      }
    },
    get: ({ challenge, rpId }: Options, { copy = false } = {}) => {
      if (!copy) counter++
      const client = clientData('webauthn.get', challenge)
      const authenticator = header(rpId ?? '', 0x01)
      const signature = createSign('sha256')
        .update(authenticator)
        .update(hash('sha256', client, 'buffer'))
        .sign(privateKey, 'base64url')
      return {
        id: id.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authenticator.toString('base64url'),
        signature,
      }
    },
  }
}
