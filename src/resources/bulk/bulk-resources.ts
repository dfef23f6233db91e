import type { FastifyInstance } from 'fastify'
import type { BulkResource, FindByLine } from '../../core/http/resource.ts'
import { findById } from './find-by-line.ts'

declare module 'fastify' {
  interface FastifyInstance {
    bulkResources: BulkResources
  }
}

type Declared = Iterable<{ bulk?: Readonly<Record<string, BulkResource>> }>

export type BulkResources = ReturnType<typeof collectBulkResources>

/** Everything that the resources let bulk jobs import, by name. */
export const collectBulkResources = (resources: Declared) => {
  const declared = Object.assign({}, ...[...resources].map(({ bulk }) => bulk)) as Record<string, BulkResource>
  const finders = Object.fromEntries(
    Object.entries(declared).map(([name, { table, find }]): [string, Readonly<Record<string, FindByLine>>] => [
      name,
      { id: findById(table), ...find },
    ]),
  )

  const get = (name: string): BulkResource => {
    const found = declared[name]
    if (!found) throw new Error(`Bulk jobs cannot import ${name}.`)
    return found
  }

  return {
    names: Object.keys(declared),
    get,
    /** The fields that a line can be matched by: `id` first. */
    matches: (name: string) => Object.keys(finders[name] ?? {}),
    finder: (name: string, match: string) => finders[name]?.[match],
    permissionsFor: (name: string, mode: string) => {
      const { create, update } = get(name).permissions
      if (mode === 'update') return [update].flat()
      return mode === 'upsert' ? [create, update].flat() : [create]
    },
  }
}

/** Makes them known to routes and to the OpenAPI document: `app.bulkResources`. */
export const addBulkResources = (app: FastifyInstance, resources: BulkResources) =>
  app.decorate('bulkResources', resources)
