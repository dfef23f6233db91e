import { Type } from 'typebox'
import { data, nullable, oneOf, ref, resource, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const Granted = Type.Array(Type.String())
const Chosen = Type.Array(oneOf(PERMISSIONS), { maxItems: PERMISSIONS.length })

export const StoreApp = resource(
  'StoreApp',
  shape({
    id: Uuid,
    client_id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    developer: Type.String(),
    url: Type.String(),
    icon: nullable(Type.String({ description: 'Served by this service: 128 x 128 pixels.' })),
    support_url: nullable(Type.String()),
    privacy_url: nullable(Type.String()),
    embed_url: nullable(Type.String({ description: 'Shown in a frame of the console.' })),
    languages: Type.Unsafe<object>({ type: 'object', description: 'Name and description by language: en, fr, ar.' }),
    state: oneOf(['listed', 'unlisted', 'disabled']),
    required: Type.Array(Type.String(), { description: 'Permissions that the app must have.' }),
    optional: Type.Array(Type.String(), { description: 'Permissions that a store may grant in addition.' }),
    install_id: nullable(Uuid),
    permissions: Type.Array(Type.String(), { description: 'What this store has granted.' }),
    pending: Type.Array(Type.String(), { description: 'Required permissions that this store has not granted.' }),
    installed_at: nullable(Timestamp),
    last_used_at: nullable(
      Type.String({ format: 'date-time', description: 'When the app last requested a token for this store.' }),
    ),
  }),
)

export const AppList = data({ apps: Type.Array(ref(StoreApp)) })

export const ClientParams = Type.Object({ client_id: Text(255, { minLength: 1, verbatim: true }) })

export const NewInstallation = Type.Object({
  permissions: Type.Optional({ ...Chosen, description: 'Optional permissions to grant. Required ones always are.' }),
})

export const Installed = data({ installation: shape({ install_id: Uuid, permissions: Granted }) })

export const OwnInstallation = resource(
  'OwnInstallation',
  shape({
    install_id: Uuid,
    client_id: Type.String(),
    store: shape({ id: Uuid, name: Type.String(), domain: Type.String(), currency: Type.String() }),
    permissions: Granted,
    pending: Type.Array(Type.String(), { description: 'Required permissions that the store has not granted yet.' }),
  }),
)

export const OwnReply = data({ installation: ref(OwnInstallation) })

export const NarrowedPermissions = Type.Object({
  permissions: { ...Chosen, description: 'What the installation keeps. It cannot gain any.' },
})

export const SessionReply = data({
  session: shape({
    url: Type.String({ description: 'Where the app is opened.' }),
    session_token: Type.String({ description: 'Valid for 60 seconds, for this app alone.' }),
    expires_at: Timestamp,
  }),
})

export const MAX_INSTALLATIONS = 200

export const InstallationQuery = Type.Object({
  cursor: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: '`next_cursor` of an earlier reply: only what has changed since then.',
  }),
  page_size: Type.Integer({ minimum: 1, maximum: MAX_INSTALLATIONS, default: 100 }),
})

export const AppInstallation = resource(
  'AppInstallation',
  shape({
    install_id: Uuid,
    store: Uuid,
    permissions: Granted,
    created_at: Timestamp,
    removed_at: nullable(Timestamp),
  }),
)

export const InstallationList = data({
  installations: Type.Array(ref(AppInstallation)),
  next_cursor: Type.Integer({ description: 'Pass it as `cursor` to learn of later changes.' }),
  has_more: Type.Boolean(),
})
