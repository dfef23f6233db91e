import { type FieldErrors, forbidden, invalid } from '../errors.ts'
import type { Permission } from '../permissions/catalogue.ts'
import type { Tables } from '../storage/tables.ts'

interface EventKind {
  /** Whose rows a snapshot contains. */
  table?: keyof Tables
  /** What a caller needs to see its events; none: every installation does. */
  permission: Permission | undefined
  /** What a caller needs to take a snapshot of all, where that is another one. */
  exported?: Permission
}

/**
 * Everything that has events, by the name that migrations give to capture_changes() and kinds.ts to its text. In the
 * sequence of a snapshot: what others refer to comes first.
 */
export const EVENT_KINDS = {
  category: { table: 'category', permission: 'product:view' },
  file: { table: 'file', permission: 'file:browse' },
  shipping_carrier: { table: 'shipping_carrier', permission: undefined },
  payment_method: { table: 'payment_method', permission: 'payment_method:view' },
  policy: { table: 'policy', permission: 'policy:view' },
  product: { table: 'product', permission: 'product:view' },
  bundle: { table: 'bundle', permission: 'bundle:view' },
  customer: { table: 'customer', permission: 'customer:view' },
  review: { table: 'review', permission: 'review:view' },
  landing_page: { table: 'landing_page', permission: 'landing_page:view' },
  order: { table: 'orders', permission: 'order:view', exported: 'order:export' },
  /** Only the installation that a webhook belongs to sees its events. */
  webhook: { permission: undefined },
} as const satisfies Record<string, EventKind>

export type EventKindName = keyof typeof EVENT_KINDS

const KINDS: Record<string, EventKind> = EVENT_KINDS
const NAMES = Object.keys(EVENT_KINDS)

export const kindOf = (name: string): EventKind | undefined => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined)

/** Kinds whose resources a snapshot contains. */
export const SNAPSHOT_KINDS = NAMES.filter((name) => KINDS[name]?.table !== undefined)

const isGranted = (permission: Permission | undefined, permissions: ReadonlySet<string>) =>
  permission === undefined || permissions.has(permission)

export const visibleKinds = (permissions: ReadonlySet<string>): string[] =>
  NAMES.filter((name) => isGranted(kindOf(name)?.permission, permissions))

const ACTIONS = ['created', 'updated', 'deleted']
const ACTIONS_OF: Record<string, readonly string[]> = { webhook: ['failing', 'paused', 'test'] }

const actionsOf = (kind: string) => ACTIONS_OF[kind] ?? ACTIONS

/** Every type of event there is: `order.created`. */
export const EVENT_TYPES = NAMES.flatMap((kind) => actionsOf(kind).map((action) => `${kind}.${action}`))

export const EVENT_TYPE_PATTERNS = ['*', ...NAMES.map((kind) => `${kind}.*`), ...EVENT_TYPES]

/** Which events are wanted: all of these kinds, and of others these types. */
export interface TypeFilter {
  kinds: string[]
  types: string[]
}

const isPattern = (text: string) => EVENT_TYPE_PATTERNS.includes(text)

const named = (patterns: readonly string[]): TypeFilter => ({
  kinds: patterns.flatMap((text) => (text.endsWith('.*') ? [text.slice(0, -2)] : [])),
  types: patterns.filter((text) => !text.endsWith('*')),
})

const kindsOf = ({ kinds, types }: TypeFilter) =>
  new Set([...kinds, ...types.map((type) => type.slice(0, type.indexOf('.')))])

/** Refuses types that do not exist, and with 403 those that the caller may not see. */
export const checkTypes = (patterns: readonly string[], permissions: ReadonlySet<string>) => {
  const errors: FieldErrors = {}
  for (const [index, text] of patterns.entries())
    if (!isPattern(text)) errors[`types.${index}`] = ['must be a type of event, such as order.created or order.*']
  if (Object.keys(errors).length > 0) throw invalid(errors)
  for (const kind of kindsOf(named(patterns))) {
    const permission = kindOf(kind)?.permission
    if (!isGranted(permission, permissions)) throw forbidden(permission as Permission)
  }
}

/** What a caller gets of what was asked for. A permission that was taken away hides its kinds at once. */
export const visibleTypes = (patterns: readonly string[] | undefined, permissions: ReadonlySet<string>): TypeFilter => {
  const visible = visibleKinds(permissions)
  if (!patterns || patterns.includes('*')) return { kinds: visible, types: [] }
  const { kinds, types } = named(patterns)
  return {
    kinds: kinds.filter((kind) => visible.includes(kind)),
    types: types.filter((type) => visible.includes(type.slice(0, type.indexOf('.')))),
  }
}

/** The kinds of a snapshot. Naming one without its permission is 403; unnamed ones are left out. */
export const snapshotKinds = (given: readonly string[] | undefined, permissions: ReadonlySet<string>): string[] => {
  const neededFor = (name: string) => {
    const kind = kindOf(name)
    return [kind?.permission, kind?.exported].find((permission) => !isGranted(permission, permissions))
  }
  if (!given) return SNAPSHOT_KINDS.filter((name) => neededFor(name) === undefined)
  for (const name of given) {
    const missing = neededFor(name)
    if (missing) throw forbidden(missing)
  }
  return SNAPSHOT_KINDS.filter((name) => given.includes(name))
}
