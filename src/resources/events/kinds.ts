import type { FastifyInstance } from 'fastify'
import type { EventKind } from '../../core/http/resource.ts'
import { type FieldErrors, forbidden, invalid } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    eventKinds: EventKinds
  }
}

/** Which events are wanted: all of these kinds, and of others these types. */
export interface TypeFilter {
  kinds: string[]
  types: string[]
}

export type EventKinds = ReturnType<typeof createEventKinds>

const ACTIONS = ['created', 'updated', 'deleted']

/** Actions after which `data` of an event shows the resource as it is now. */
export const SHOWN_ACTIONS = ['created', 'updated', 'confirmed', 'refused'] as const
const SHOWN: ReadonlySet<string> = new Set(SHOWN_ACTIONS)

export const showsResource = (action: string) => SHOWN.has(action)

const snapshotOrder = ({ snapshot }: EventKind) => snapshot?.order ?? Number.POSITIVE_INFINITY

/** Splits patterns such as `order.*` and `order.created` into kinds and types. */
const parsePatterns = (patterns: readonly string[]): TypeFilter => ({
  kinds: patterns.flatMap((text) => (text.endsWith('.*') ? [text.slice(0, -2)] : [])),
  types: patterns.filter((text) => !text.endsWith('*')),
})

const kindOfType = (type: string) => type.slice(0, type.indexOf('.'))

/** Every kind of event that the resources declare, in the order of a snapshot. */
export const createEventKinds = (resources: Iterable<{ events?: Readonly<Record<string, EventKind>> }>) => {
  const declared = [...resources].flatMap(({ events = {} }) => Object.entries(events))
  const kinds = new Map(declared.sort(([, a], [, b]) => snapshotOrder(a) - snapshotOrder(b)))
  const names = [...kinds.keys()]
  const inSnapshots = names.filter((name) => kinds.get(name)?.snapshot)
  /** `order.created`. */
  const types = [...kinds].flatMap(([kind, { actions = ACTIONS }]) => actions.map((action) => `${kind}.${action}`))
  const patterns = ['*', ...names.map((kind) => `${kind}.*`), ...types]

  const missingPermission = (kind: string, permissions: ReadonlySet<string>) => {
    const needed = kinds.get(kind)?.permission
    return needed && !permissions.has(needed) ? needed : undefined
  }

  const missingForSnapshot = (kind: string, permissions: ReadonlySet<string>) => {
    const needed = kinds.get(kind)?.snapshot?.permission
    return missingPermission(kind, permissions) ?? (needed && !permissions.has(needed) ? needed : undefined)
  }

  /** What an app needs to see all of these events. */
  const permissionsFor = (given: readonly string[]): string[] => {
    const named = parsePatterns(given)
    const wanted = given.includes('*') ? names : [...named.kinds, ...named.types.map(kindOfType)]
    return [...new Set(wanted.flatMap((kind) => kinds.get(kind)?.permission ?? []))]
  }

  return {
    names,
    permissionsFor,
    inSnapshots,
    types,
    patterns,

    snapshotTable: (kind: string) => kinds.get(kind)?.snapshot?.table,

    /** Refuses types that do not exist, and with 403 those that the caller may not see. */
    checkTypes: (given: readonly string[], permissions: ReadonlySet<string>) => {
      const errors: FieldErrors = {}
      for (const [index, text] of given.entries())
        if (!patterns.includes(text))
          errors[`types.${index}`] = ['must be a type of event, such as order.created or order.*']
      if (Object.keys(errors).length > 0) throw invalid(errors)
      const named = parsePatterns(given)
      for (const kind of new Set([...named.kinds, ...named.types.map(kindOfType)])) {
        const missing = missingPermission(kind, permissions)
        if (missing) throw forbidden(missing)
      }
    },

    /** Those of the given types that the caller may see now. Losing a permission hides its kinds at once. */
    visibleTypes: (given: readonly string[] | undefined, permissions: ReadonlySet<string>): TypeFilter => {
      const visible = names.filter((kind) => !missingPermission(kind, permissions))
      if (!given || given.includes('*')) return { kinds: visible, types: [] }
      const named = parsePatterns(given)
      return {
        kinds: named.kinds.filter((kind) => visible.includes(kind)),
        types: named.types.filter((type) => visible.includes(kindOfType(type))),
      }
    },

    /** The kinds of a snapshot. Naming one without its permission is 403; by default only permitted ones are included. */
    snapshotKinds: (given: readonly string[] | undefined, permissions: ReadonlySet<string>): string[] => {
      if (!given) return inSnapshots.filter((kind) => !missingForSnapshot(kind, permissions))
      for (const kind of given) {
        const missing = missingForSnapshot(kind, permissions)
        if (missing) throw forbidden(missing)
      }
      return inSnapshots.filter((kind) => given.includes(kind))
    },
  }
}

/** Makes the kinds of events known to routes: `app.eventKinds`, `request.server.eventKinds`. */
export const addEventKinds = (app: FastifyInstance, kinds: EventKinds) => app.decorate('eventKinds', kinds)
