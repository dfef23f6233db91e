import type { Static } from 'typebox'
import type {
  Factors,
  NewPasskey,
  PasskeyCreation,
  PasskeyRequest,
  PasskeyUse,
} from '../../../src/resources/second-factor/schema.ts'
import { send } from './console.ts'

export type FactorsInfo = Static<typeof Factors>['data']
interface NewCodes {
  recovery_codes: string[]
}

const toBase64Url = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const fromBase64Url = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

const listed = (keys: readonly { id: string; transports: readonly string[] }[]) =>
  keys.map(({ id, transports }) => ({
    type: 'public-key' as const,
    id: fromBase64Url(id),
    transports: transports as AuthenticatorTransport[],
  }))

/** Browsers have none at an address of numbers, such as 127.0.0.1. */
export const canUsePasskeys = () => 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname)

/** Asks the person to touch a key or unlock the device. Fails if they do not. */
const createPasskey = async (): Promise<Static<typeof NewPasskey>['credential']> => {
  const { options } = await send<Static<typeof PasskeyCreation>['data']>('POST', '/second-factor/passkeys/challenge')
  const made = (await navigator.credentials.create({
    publicKey: {
      challenge: fromBase64Url(options.challenge),
      rp: options.rp,
      user: { ...options.user, id: fromBase64Url(options.user.id) },
      pubKeyCredParams: options.pubKeyCredParams.map(({ alg }) => ({ type: 'public-key', alg })),
      excludeCredentials: listed(options.excludeCredentials),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
      attestation: 'none',
    },
  })) as PublicKeyCredential
  const response = made.response as AuthenticatorAttestationResponse
  return {
    id: made.id,
    transports: response.getTransports(),
    clientDataJSON: toBase64Url(response.clientDataJSON),
    authenticatorData: toBase64Url(response.getAuthenticatorData()),
    publicKey: toBase64Url(response.getPublicKey() as ArrayBuffer),
    algorithm: response.getPublicKeyAlgorithm(),
  }
}

const signWithPasskey = async (): Promise<Static<typeof PasskeyUse>['credential']> => {
  const { options } = await send<Static<typeof PasskeyRequest>['data']>('POST', '/second-factor/challenge')
  const used = (await navigator.credentials.get({
    publicKey: {
      challenge: fromBase64Url(options.challenge),
      rpId: options.rpId,
      allowCredentials: listed(options.allowCredentials),
      userVerification: 'discouraged',
    },
  })) as PublicKeyCredential
  const response = used.response as AuthenticatorAssertionResponse
  return {
    id: used.id,
    clientDataJSON: toBase64Url(response.clientDataJSON),
    authenticatorData: toBase64Url(response.authenticatorData),
    signature: toBase64Url(response.signature),
  }
}

/** The second factor of the person who is signed in. */
export const secondFactorApi = {
  read: () => send<FactorsInfo>('GET', '/second-factor'),
  giveCode: (code: string) => send('POST', '/second-factor', { code }),
  givePasskey: async () => send('POST', '/second-factor/passkey', { credential: await signWithPasskey() }),
  beginAuthenticator: () => send<{ secret: string; address: string }>('POST', '/second-factor/authenticator'),
  confirmAuthenticator: (code: string) => send<NewCodes>('PUT', '/second-factor/authenticator', { code }),
  removeAuthenticator: () => send('DELETE', '/second-factor/authenticator'),
  addPasskey: async (name: string) =>
    send<NewCodes>('POST', '/second-factor/passkeys', { name, credential: await createPasskey() }),
  removePasskey: (id: string) => send('DELETE', `/second-factor/passkeys/${id}`),
  renewCodes: () => send<NewCodes>('POST', '/second-factor/recovery-codes'),
}
