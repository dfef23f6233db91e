import { Type } from 'typebox'
import { data, nullable, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'

export const MAX_PASSKEYS = 20

/** Who must have a second factor on this service. */
export const REQUIRED_OF = ['nobody', 'operators', 'everybody'] as const
export type RequiredOf = (typeof REQUIRED_OF)[number]

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const Passkey = shape({ id: Uuid, name: Type.String(), created_at: Timestamp, used_at: nullable(Timestamp) })

export const Factors = data({
  /** Of this person, by the operator of the service. */
  is_required: Type.Boolean(),
  has_authenticator: Type.Boolean(),
  has_passkey: Type.Boolean(),
  /** Empty while the session waits for the second factor. */
  passkeys: Type.Array(Passkey, { maxItems: MAX_PASSKEYS }),
  /** How many are left. */
  recovery_codes: Type.Integer({ minimum: 0 }),
})

/** Of an authenticator, or a recovery code. */
export const CodeGiven = Type.Object({ code: Text(100, { minLength: 1 }) })

/** To type, and as the address in the QR code. */
export const AuthenticatorSecret = data({ secret: Type.String(), address: Type.String() })

/** Shown once. Empty if there are some already. */
export const RecoveryCodes = data({ recovery_codes: Type.Array(Type.String()) })

const Encoded = (max: number) => Text(max, { minLength: 1, verbatim: true })
const KeyId = Encoded(2000)

/** What `navigator.credentials.create()` gives, in base64url. */
export const NewPasskey = Type.Object({
  name: Text(100),
  credential: Type.Object({
    id: KeyId,
    transports: Type.Optional(Type.Array(Text(20), { maxItems: 10 })),
    clientDataJSON: Encoded(4000),
    authenticatorData: Encoded(4000),
    /** SPKI in DER, and the COSE number of its signatures. */
    publicKey: Encoded(4000),
    algorithm: Type.Integer(),
  }),
})

/** What `navigator.credentials.get()` gives, in base64url. */
export const PasskeyUse = Type.Object({
  credential: Type.Object({
    id: KeyId,
    clientDataJSON: Encoded(4000),
    authenticatorData: Encoded(4000),
    signature: Encoded(4000),
  }),
})

const Listed = Type.Array(shape({ id: Type.String(), type: Type.String(), transports: Type.Array(Type.String()) }))

/** What `navigator.credentials.create()` takes, with bytes in base64url. */
export const PasskeyCreation = data({
  options: shape({
    challenge: Type.String(),
    rp: shape({ id: Type.String(), name: Type.String() }),
    user: shape({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(shape({ alg: Type.Integer(), type: Type.String() })),
    excludeCredentials: Listed,
  }),
})

/** What `navigator.credentials.get()` takes. */
export const PasskeyRequest = data({
  options: shape({ challenge: Type.String(), rpId: Type.String(), allowCredentials: Listed }),
})
