import { type Static, Type } from 'typebox'
import { data, Integer, nullable, oneOf, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const Names = Type.Array(Type.String())
const MaybeText = nullable(Type.String())
const Count = Type.Integer()

export const PAGE_SIZE = 50
export const MAX_INSTALLATIONS = 100
/** A store that has declined is not asked again before. */
export const DECLINED_DAYS = 7

export const Call = shape({
  id: Uuid,
  at: Timestamp,
  request_id: Type.String(),
  app: MaybeText,
  app_id: nullable(Uuid),
  store: MaybeText,
  store_id: nullable(Uuid),
  installation_id: nullable(Uuid),
  /** The person, for a call of the console or of an assistant that they have connected. */
  account: MaybeText,
  method: MaybeText,
  route: MaybeText,
  resource_id: nullable(Uuid),
  status: Type.Integer(),
  ms: nullable(Type.Number()),
  bytes_in: nullable(Type.Number()),
  bytes_out: nullable(Type.Number()),
  code: MaybeText,
  fields: Names,
  permission: MaybeText,
  ignored: Names,
  idempotency_key: MaybeText,
  is_replay: Type.Boolean(),
  agent: MaybeText,
  /** `assistant`, if one called. */
  via: MaybeText,
  /** Calls like this one that were counted and not kept, since the one before. */
  skipped: Count,
})
export type CallLine = Static<typeof Call>

export const CallQuery = Type.Object({
  status: Type.Optional(Type.String({ pattern: '^[1-5](xx|\\d\\d)$' })),
  method: Type.Optional(Text(20)),
  route: Type.Optional(Text(200)),
  code: Type.Optional(Text(50)),
  store: Type.Optional(Uuid),
  request_id: Type.Optional(Text(128)),
  resource_id: Type.Optional(Uuid),
  via: Type.Optional(oneOf(['assistant'])),
  cursor: Type.Optional(Text(100)),
})
export type CallFilters = Static<typeof CallQuery>

export const CallParams = Type.Object({ id: Uuid, request: Text(128) })
export const RequestParams = Type.Object({ request: Text(128) })
export const InstallationParams = Type.Object({ id: Uuid, installation: Uuid })

export const CallList = data({
  calls: Type.Array(Call),
  next_cursor: MaybeText,
  /** Lines that could not be written. */
  lost: Count,
  days: Count,
})
export const CallReply = data({ calls: Type.Array(Call) })

export const HoursQuery = Type.Object({ hours: Integer({ minimum: 1, maximum: 2160, default: 24 }) })
export const DaysQuery = Type.Object({ days: Integer({ minimum: 1, maximum: 365, default: 90 }) })

export const Counts = data({
  hours: Type.Array(shape({ hour: Timestamp, ok: Count, refused: Count, failed: Count })),
  calls: Count,
  refused: Count,
  failed: Count,
  /** Upper bounds in ms. Null: without calls, or slower than all bounds. */
  p50: nullable(Type.Number()),
  p95: nullable(Type.Number()),
})

export const Errors = data({
  errors: Type.Array(
    shape({
      code: Type.String(),
      status: Type.Integer(),
      method: MaybeText,
      route: MaybeText,
      field: MaybeText,
      permission: MaybeText,
      count: Count,
      stores: Count,
      first_at: Timestamp,
      last_at: Timestamp,
      /** Of the last one. */
      request_id: Type.String(),
    }),
  ),
})

export const Retries = data({
  retries: Type.Array(
    shape({
      idempotency_key: Type.String(),
      store: MaybeText,
      method: MaybeText,
      route: MaybeText,
      /** Of the first reply. */
      status: Type.Integer(),
      calls: Count,
      replays: Count,
      conflicts: Count,
      first_at: Timestamp,
      last_at: Timestamp,
    }),
  ),
})

export const PermissionUse = shape({
  name: Type.String(),
  is_granted: Type.Boolean(),
  used: Count,
  refused: Count,
  last_used_at: nullable(Timestamp),
  last_refused_at: nullable(Timestamp),
  /** A webhook or the feed shows events that need it. */
  is_for_events: Type.Boolean(),
})

export const InstallationUse = shape({
  id: Uuid,
  store_id: Uuid,
  store: Type.String(),
  app: Type.String(),
  /** Nothing is known about earlier calls. */
  since: Timestamp,
  calls: Count,
  failures: Count,
  permissions: Type.Array(PermissionUse),
  /** What the developers have asked the store for. */
  request: nullable(
    shape({
      permissions: Names,
      asked_by: Type.String(),
      asked_at: Timestamp,
      /** Declined: the store may be asked again then. */
      again_at: nullable(Timestamp),
    }),
  ),
})
export type InstallationUseInfo = Static<typeof InstallationUse>

/** Uses are counted only while calls are logged. */
export const UseReply = data({
  is_counted: Type.Boolean(),
  installations: Type.Array(InstallationUse),
  /** What can be given back: revoked within a day, from installations that nobody has changed since. */
  revoked: Type.Array(shape({ undo: Uuid, at: Timestamp, store: Type.String(), permissions: Names })),
})

const Permissions = Type.Array(Text(50), { minItems: 1, maxItems: 100 })
export const Revocation = Type.Object({
  installations: Type.Array(Type.Object({ id: Uuid, permissions: Permissions }), {
    minItems: 1,
    maxItems: MAX_INSTALLATIONS,
  }),
})
/** Each undoes one revocation, for a day. */
export const Undo = Type.Object({ undo: Type.Array(Uuid, { minItems: 1, maxItems: MAX_INSTALLATIONS }) })
export const RevocationReply = data({ revoked: Count, undo: Type.Array(Uuid) })
export const RestoreReply = data({ restored: Count })

export const PermissionQuestion = Type.Object({ installation_id: Uuid, permissions: Permissions })
export const PermissionRequests = data({
  requests: Type.Array(
    shape({
      installation_id: Uuid,
      client_id: Type.String(),
      app: Type.String(),
      permissions: Names,
      asked_by: Type.String(),
      asked_at: Timestamp,
    }),
  ),
})
/** What is granted of a request. What is left out is declined. */
export const PermissionDecision = Type.Object({ permissions: Type.Array(Text(50), { maxItems: 100 }) })
export const PermissionDecided = data({ granted: Names, declined: Names })

export const TokenRequest = Type.Object({ installation_id: Uuid })
export const TokenReply = data({ token: Type.String(), ttl: Type.Integer() })

export const DeveloperApps = data({
  apps: Type.Array(
    shape({
      id: Uuid,
      name: Type.String(),
      client_id: Type.String(),
      is_disabled: Type.Boolean(),
      installations: Count,
    }),
  ),
})
export const AppReply = data({
  app: shape({
    id: Uuid,
    name: Type.String(),
    client_id: Type.String(),
    is_disabled: Type.Boolean(),
    /** The console. It has no tokens of its own. */
    built_in: Type.Boolean(),
    /** What its manifest asks for. Null: it has none, and the operator grants. */
    asks: nullable(shape({ required: Names, optional: Names })),
  }),
  installations: Type.Array(
    shape({
      id: Uuid,
      store_id: Uuid,
      store: Type.String(),
      is_demo: Type.Boolean(),
      permissions: Names,
      /** Kinds of events that it may see. */
      event_kinds: Names,
    }),
    { maxItems: MAX_INSTALLATIONS },
  ),
  /** Filters of the feed: `order.*`, `order.created`. */
  event_types: Names,
})
