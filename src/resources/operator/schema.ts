import { Type } from 'typebox'
import { DateBound, data, nullable, oneOf, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { ACTS } from '../accounts/acts.ts'
import { ROLES } from '../accounts/roles.ts'
import { SessionRow } from '../accounts/schema.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { REQUIRED_OF } from '../second-factor/schema.ts'

export const PAGE_SIZE = 50
/** Roles of an account, and open invitations, that are shown. */
export const MAX_ROLES = 200

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const Count = Type.Integer({ minimum: 0 })
const Search = Type.Optional(Text(100, { minLength: 1 }))
/** How many rows come before the page. */
const Offset = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 }))
const Paged = shape({ total: Count, next_cursor: nullable(Type.String()) })

export const StoreQuery = Type.Object({
  search: Search,
  state: Type.Optional(oneOf(['active', 'suspended'])),
  cursor: Offset,
})

export const StoreRow = shape({
  id: Uuid,
  name: Type.String(),
  domain: Type.String(),
  currency: Type.String(),
  time_zone: Type.String(),
  suspended_at: nullable(Timestamp),
  created_at: Timestamp,
  people: Count,
  apps: Count,
  plan: nullable(Type.String()),
  /** In the store's time zone. */
  orders_today: Count,
  /** Of the API in 24 hours, those of the console included. Null: calls are not counted. */
  calls: nullable(Count),
  errors: nullable(Count),
})

export const StoresReply = data({ stores: Type.Array(StoreRow, { maxItems: PAGE_SIZE }), pagination: Paged })
export const StoreReply = data({
  store: StoreRow,
  /** What a removal deletes. */
  contents: shape({ products: Count, orders: Count, customers: Count, files: Count }),
})

const StoreName = Text(200, { minLength: 1 })
const Domain = Text(253, { minLength: 1 })
const Currency = Text(3, { minLength: 3 })

export const NewStore = Type.Object({
  /** Chosen by the page, so that an attempt whose answer was lost can be repeated. */
  id: Uuid,
  name: StoreName,
  domain: Type.Optional(Domain),
  currency: Type.Optional(Currency),
})
export const StoreChange = Type.Object({
  name: Type.Optional(StoreName),
  domain: Type.Optional(Domain),
  currency: Type.Optional(Currency),
})
/** The name of the store, typed again. */
export const Removal = Type.Object({ name: Text(200) })

export const AccountQuery = Type.Object({
  search: Search,
  state: Type.Optional(oneOf(['active', 'disabled'])),
  role: Type.Optional(oneOf(['operator'])),
  cursor: Offset,
})

export const AccountRow = shape({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  is_operator: Type.Boolean(),
  disabled_at: nullable(Timestamp),
  last_seen_at: nullable(Timestamp),
  created_at: Timestamp,
  sessions: Count,
  has_second_factor: Type.Boolean(),
  stores: Type.Array(
    shape({
      store_id: Uuid,
      store: Type.String(),
      role: oneOf(['owner', 'staff']),
      /** Named role of staff. */
      role_id: nullable(Uuid),
      permissions: Type.Array(Type.String()),
    }),
    { maxItems: MAX_ROLES },
  ),
  apps: Type.Array(shape({ app_id: Uuid, client_id: Type.String(), app: Type.String() }), { maxItems: MAX_ROLES }),
})

export const InvitationRow = shape({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role: oneOf(ROLES),
  store_id: nullable(Uuid),
  app_id: nullable(Uuid),
  /** Name of the store or app. */
  place: Type.String(),
  permissions: Type.Array(Type.String()),
  link_expires_at: nullable(Timestamp),
  created_at: Timestamp,
})

export const AccountsReply = data({
  accounts: Type.Array(AccountRow, { maxItems: PAGE_SIZE }),
  pagination: Paged,
  /** On the first page. */
  invitations: Type.Array(InvitationRow, { maxItems: MAX_ROLES }),
})
export const AccountReply = data({ account: AccountRow })
export const SessionsReply = data({ sessions: Type.Array(SessionRow) })
export const SessionParams = Type.Object({ id: Uuid, session: Uuid })
/** Who must have a second factor. */
export const Requirement = Type.Object({ second_factor: oneOf(REQUIRED_OF) })
export const RequirementReply = data({ second_factor: oneOf(REQUIRED_OF) })
export const LinkMade = data({ link: Type.String() })
/** Null: it took effect at once, and nobody needs a link. */
export const LinkOrDone = data({ link: nullable(Type.String()) })

const Permissions = Type.Array(oneOf(PERMISSIONS), { maxItems: PERMISSIONS.length })
const grant = {
  role: oneOf(ROLES),
  /** Of owners and staff. */
  store_id: Type.Optional(Uuid),
  /** Of developers: the client id. */
  app: Type.Optional(Text(800, { minLength: 1 })),
}
const access = {
  permissions: Type.Optional(Permissions),
  /** Named role of staff, instead of permissions. */
  role_id: Type.Optional(nullable(Uuid)),
}
export const NewInvitation = Type.Object({
  email: Text(254, { minLength: 1 }),
  name: Type.Optional(Text(100)),
  ...grant,
  ...access,
})
export const NewRole = Type.Object({ ...grant, ...access })
export const RoleRemoval = Type.Object(grant)

export const AuditQuery = Type.Object({
  search: Search,
  act: Type.Optional(oneOf(ACTS)),
  who: Type.Optional(oneOf(['people', 'apps', 'command_line'])),
  account_id: Type.Optional(Uuid),
  store_id: Type.Optional(Uuid),
  from: Type.Optional(DateBound('Entries from then on.')),
  to: Type.Optional(DateBound('Entries until then.')),
  cursor: Type.Optional(Uuid),
})

export const AuditReply = data({
  entries: Type.Array(
    shape({
      id: Uuid,
      at: Timestamp,
      /** Null: the command line. */
      account_id: nullable(Uuid),
      actor: Type.String(),
      act: Type.String(),
      subject: Type.String(),
      store_id: nullable(Uuid),
      app_id: nullable(Uuid),
      /** Name of the store or app, if it still exists. */
      store: nullable(Type.String()),
      app: nullable(Type.String()),
      before: nullable(Type.Unsafe<object>({ type: 'object', additionalProperties: true })),
      after: nullable(Type.Unsafe<object>({ type: 'object', additionalProperties: true })),
    }),
    { maxItems: PAGE_SIZE },
  ),
  next_cursor: nullable(Type.String()),
})

export const SystemReply = data({
  /** Of the release. */
  version: Type.String(),
  node: Type.String(),
  /** HTTP processes. */
  workers: Count,
  /** Of the process that answers, as are the bytes of memory. */
  uptime_seconds: Count,
  memory: Count,
  schema: shape({ latest: Type.String(), applied: Count, pending: Type.Array(Type.String()) }),
  database: shape({
    version: Type.String(),
    bytes: Type.Number(),
    connections: Count,
    max_connections: Count,
    embedded: Type.Boolean(),
  }),
  disk: nullable(shape({ free: Type.Number(), size: Type.Number() })),
  shards: Type.Array(shape({ machine: Type.String(), shards: Count })),
  queues: shape({ bulk_jobs: Count, lifecycle_posts: Count, webhook_deliveries: Count, failing_webhooks: Count }),
})

/** What the command `doctor` finds. Sentences are those of the command line. */
export const DoctorReply = data({
  at: Timestamp,
  findings: Type.Array(
    shape({
      check: Type.String(),
      state: oneOf(['ok', 'note', 'fault']),
      found: Type.String(),
      fix: Type.Optional(Type.String()),
      repairs: Type.Optional(Type.Array(shape({ kind: Type.String(), texts: Count }))),
    }),
  ),
})

export const Done = data({})
