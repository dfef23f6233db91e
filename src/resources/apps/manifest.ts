import { type Static, Type } from 'typebox'
import { splitWords } from '../../core/input/normalize-text.ts'
import { parseJson } from '../../core/input/parse-json.ts'
import { oneOf, Text } from '../../core/input/schemas.ts'
import { createChecker } from '../../core/input/validation.ts'
import { ApiError, invalid, ValidationErrors } from '../../errors.ts'
import { PERMISSIONS, type Permission } from '../permissions/catalogue.ts'

export const MAX_MANIFEST_BYTES = 64 * 1024
const MAX_ADDRESSES = 20
const MAX_ADDRESS_LENGTH = 2_048

const Address = Text(MAX_ADDRESS_LENGTH, { minLength: 1, verbatim: true })
const Name = Text(60, { minLength: 1 })
const Description = Text(500)
const Permissions = Type.Array(oneOf(PERMISSIONS), { maxItems: PERMISSIONS.length })
const Translation = Type.Object({ name: Type.Optional(Name), description: Type.Optional(Description) })

const ManifestInput = Type.Object({
  name: Name,
  description: Description,
  developer: Text(100, { minLength: 1 }),
  url: Address,
  icon: Text(MAX_MANIFEST_BYTES, { minLength: 1, verbatim: true }),
  permissions: Type.Object({ required: Type.Optional(Permissions), optional: Type.Optional(Permissions) }),
  redirect_uris: Type.Array(Address, { maxItems: MAX_ADDRESSES }),
  lifecycle_url: Type.Optional(Address),
  embed_url: Type.Optional(Address),
  support_url: Address,
  privacy_url: Address,
  languages: Type.Optional(
    Type.Object({
      en: Type.Optional(Translation),
      fr: Type.Optional(Translation),
      ar: Type.Optional(Translation),
    }),
  ),
})

type Input = Static<typeof ManifestInput>

/** What an app says of itself. Documents of clients that nobody registered have no icon, support or privacy address. */
export interface Manifest extends Omit<Input, 'permissions' | 'icon' | 'support_url' | 'privacy_url'> {
  icon?: string
  support_url?: string
  privacy_url?: string
  permissions: { required: Permission[]; optional: Permission[] }
}

const checkShape = createChecker(ManifestInput)

const LOOPBACK = /^(localhost|([\w-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Why an address in a manifest is refused. What the service itself requests is checked again, when it connects. */
export const refusalOfAddress = (text: string): string | undefined => {
  if (!URL.canParse(text)) return 'must be a URL such as https://app.example/start'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname)))
    return 'must start with https://'
  if (url.username || url.password) return 'must not contain a user name or a password'
  if (text.includes('#')) return 'must not contain a fragment'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return /[\u0000-\u0020\u007f\\]/.test(text) ? 'must not contain spaces, backslashes or control characters' : undefined
}

/** Control characters, and those that turn the direction of what follows. */
const HIDDEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Names with the same key look alike: case, accents, spaces and punctuation make no difference. */
export const nameKey = (name: string) => splitWords(name).join('')

/** All names that an app shows itself under, by the field of its manifest. */
export const namesOf = ({ name, languages = {} }: Pick<Manifest, 'name' | 'languages'>): [string, string][] => [
  ['name', name],
  ...Object.entries(languages).flatMap(([language, translation]): [string, string][] =>
    translation.name === undefined ? [] : [[`languages.${language}.name`, translation.name]],
  ),
]

export const IMITATES = 'must differ from the names of other apps'

export const checkName = (name: string, field: string, errors: ValidationErrors) => {
  if (HIDDEN.test(name) || nameKey(name) === '')
    errors.add(field, 'must be a name of letters or digits, without control characters')
}

const ADDRESSES = ['url', 'lifecycle_url', 'embed_url', 'support_url', 'privacy_url'] as const

const checkAddresses = (given: Input, errors: ValidationErrors) => {
  const check = (field: string, text: string | undefined) => {
    const refusal = text === undefined ? undefined : refusalOfAddress(text)
    if (refusal) errors.add(field, refusal)
  }
  for (const field of ADDRESSES) check(field, given[field])
  for (const [index, text] of given.redirect_uris.entries()) check(`redirect_uris.${index}`, text)
  if (!given.icon.startsWith('data:')) check('icon', given.icon)
}

/** Refuses a manifest by naming every field that is wrong. */
export const checkManifest = (value: unknown): Manifest => {
  const errors = new ValidationErrors()
  checkShape(value, { errors, ignored: [] })
  errors.throwIfAny()
  const given = value as Input
  checkAddresses(given, errors)
  checkName(given.name, 'name', errors)
  for (const [language, { name }] of Object.entries(given.languages ?? {}))
    if (name !== undefined) checkName(name, `languages.${language}.name`, errors)
  errors.throwIfAny()
  const { required = [], optional = [] } = given.permissions
  const fields = Object.fromEntries(
    Object.keys(ManifestInput.properties).flatMap((name) =>
      name in given ? [[name, given[name as keyof Input]]] : [],
    ),
  ) as unknown as Input
  return {
    ...fields,
    permissions: {
      required: [...new Set(required)],
      optional: [...new Set(optional)].filter((name) => !required.includes(name)),
    },
  }
}

export const parseManifest = (text: string): unknown => {
  if (Buffer.byteLength(text) > MAX_MANIFEST_BYTES) throw invalid({ manifest: ['must have at most 64 kB'] })
  const parsed = parseJson(text)
  if ('value' in parsed) return parsed.value
  throw invalid({ manifest: [`must be ${parsed.fault}`] })
}

export const allPermissions = ({ permissions }: Manifest): Permission[] => [
  ...permissions.required,
  ...permissions.optional,
]

/** For the command line, which shows one text. */
export const explainInvalid = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === 'validation_failed'
    ? Object.entries(error.fields)
        .flatMap(([field, messages]) => messages.map((message) => `${field} ${message}.`))
        .join('\n')
    : undefined
