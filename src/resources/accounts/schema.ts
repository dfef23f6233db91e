import { Type } from 'typebox'
import { data, nullable, oneOf, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { PENDING } from './pending.ts'
import { ROLES } from './roles.ts'

export const MIN_PASSWORD_LENGTH = 12
const MAX_PASSWORD_LENGTH = 256
export const LANGUAGES = ['en', 'fr', 'ar'] as const
export const THEMES = ['light', 'dark'] as const

const shape = <T extends Type.TProperties>(properties: T) => Type.Object(properties, { additionalProperties: false })

const Password = Text(MAX_PASSWORD_LENGTH, { minLength: 1, verbatim: true })
const Code = Text(100, { minLength: 1, verbatim: true })
const Name = Text(100)
const EmailText = Text(254, { minLength: 1 })

export const SignIn = Type.Object({ email: EmailText, password: Password })
/** Null: signed in. Otherwise what comes first: the second factor, or setting one up. */
const Waiting = nullable(oneOf(PENDING))
export const SignedIn = data({ pending: Waiting })
export const LinkCheck = Type.Object({ code: Code })
export const LinkUse = Type.Object({
  code: Code,
  password: Password,
  name: Type.Optional(Name),
  email: Type.Optional(EmailText),
})
export const PasswordChange = Type.Object({ current_password: Password, password: Password })
export const Confirmation = Type.Object({ password: Password })
export const MeChange = Type.Object({
  name: Type.Optional(Name),
  language: Type.Optional(nullable(oneOf(LANGUAGES))),
  theme: Type.Optional(nullable(oneOf(THEMES))),
})

export const State = data({
  /** Nobody can sign in yet. */
  needs_operator: Type.Boolean(),
  /** This browser has a session. */
  signed_in: Type.Boolean(),
  /** Signing in works over this connection. */
  is_safe: Type.Boolean(),
  demo_store: nullable(Uuid),
})

export const Me = shape({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  is_operator: Type.Boolean(),
  /** Of at least one app. */
  is_developer: Type.Boolean(),
  language: nullable(oneOf(LANGUAGES)),
  theme: nullable(oneOf(THEMES)),
})

export const Store = shape({
  id: Uuid,
  name: Type.String(),
  domain: Type.String(),
  currency: Type.String(),
  time_zone: Type.String(),
  /** Nothing can be changed in it. */
  is_suspended: Type.Boolean(),
  role: oneOf(['operator', 'owner', 'staff']),
  /** Of staff. Owners and operators have every permission. */
  permissions: Type.Array(Type.String()),
})

/** More are found with `GET /stores?search=`. */
export const MAX_STORES = 100
export const StoreQuery = Type.Object({ search: Type.Optional(Text(100)) })
export const Stores = Type.Array(Store, { maxItems: MAX_STORES })

/** Without stores while the session waits for a second factor. */
export const MeReply = data({ account: Me, stores: Stores, pending: Waiting })
export const LinkReply = data({
  link: shape({
    kind: oneOf(['first', 'invite', 'reset']),
    /** Of the account, or as the inviter wrote it. */
    email: Type.String(),
    name: Type.String(),
    /** Of an invitation, with the name of the store or app. */
    role: nullable(oneOf(ROLES)),
    place: Type.String(),
    store_id: nullable(Uuid),
  }),
})
export const Done = data({})

export const SessionRow = shape({
  id: Uuid,
  agent: Type.String(),
  created_at: Timestamp,
  used_at: Timestamp,
  is_current: Type.Boolean(),
})

/** Of a person in a store, of all lists together. */
export const MAX_VIEWS = 500
/** The console names its lists itself: `landing-pages`. */
const ListName = Text(40, {
  pattern: '^[a-z]+(-[a-z]+)*$',
  errorMessage: 'must be small letters, with hyphens between words',
})
export const ViewQuery = Type.Object({ store_id: Uuid, list: ListName })
export const NewView = Type.Object({
  store_id: Uuid,
  list: ListName,
  name: Text(60, { minLength: 1 }),
  query: Text(2000),
})
export const View = shape({ id: Uuid, name: Type.String(), query: Type.String() })

/** Of a store. More than these are not listed. */
export const MAX_PEOPLE = 200
export const MAX_STAFF_ROLES = 50

const Role = oneOf(['owner', 'staff'])
const Permissions = Type.Array(oneOf(PERMISSIONS), { maxItems: PERMISSIONS.length })

/** Permissions of staff under a name. */
export const StaffRole = shape({
  id: Uuid,
  name: Type.String(),
  permissions: Type.Array(Type.String()),
  /** Of its last change. */
  version: Type.Integer(),
  /** Who have it, invited ones included. */
  people: Type.Integer(),
})
const RoleName = Text(60, { minLength: 1 })
export const StaffRoleParams = Type.Object({ id: Uuid, role: Uuid })
export const NewStaffRole = Type.Object({ name: RoleName, permissions: Permissions })
export const StaffRoleChange = Type.Object({
  name: Type.Optional(RoleName),
  permissions: Type.Optional(Permissions),
  /** As it was read. It is not changed if somebody else has changed it since. */
  version: Type.Optional(Type.Integer()),
})
/** Who has the role gets this one. Without it, they keep its permissions as their own. */
export const StaffRoleDeletion = Type.Object({ replacement: Type.Optional(Uuid) })
export const StaffRoleReply = data({ role: StaffRole })
export const StaffRoleDeleted = data({ people: Type.Integer() })

export const Person = shape({
  account_id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role: Role,
  /** Named role of staff; null: permissions of their own. */
  role_id: nullable(Uuid),
  /** Of staff. Owners have every permission. */
  permissions: Type.Array(Type.String()),
  is_you: Type.Boolean(),
})

/** As the inviter wrote it. Says nothing about accounts: whoever redeems the link joins with an account of their own. */
export const Invitation = shape({
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role: Role,
  role_id: nullable(Uuid),
  permissions: Type.Array(Type.String()),
  /** Null: the link has expired. A new one can be made. */
  link_expires_at: nullable(Timestamp),
})

export const PeopleReply = data({
  people: Type.Array(Person, { maxItems: MAX_PEOPLE }),
  invitations: Type.Array(Invitation, { maxItems: MAX_PEOPLE }),
  roles: Type.Array(StaffRole, { maxItems: MAX_STAFF_ROLES }),
})
export const PersonParams = Type.Object({ id: Uuid, account: Uuid })
export const InvitationParams = Type.Object({ id: Uuid, invitation: Uuid })
export const NewPerson = Type.Object({
  email: EmailText,
  name: Type.Optional(Name),
  role: Role,
  permissions: Type.Optional(Permissions),
  role_id: Type.Optional(nullable(Uuid)),
})
export const PersonChange = Type.Object({
  role: Role,
  permissions: Type.Optional(Permissions),
  /** Instead of permissions. */
  role_id: Type.Optional(nullable(Uuid)),
})
/** With the address at which the person joins: shown once. */
export const InvitationReply = data({ invitation: Invitation, link: Type.String() })
