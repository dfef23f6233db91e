import Type, { type Static } from 'typebox'
import { extension, listQuery, nullable, oneOf, resource, Timestamp, Uuid } from '../input/schemas.ts'

export const BULK_RESOURCES = ['product', 'customer', 'order', 'review', 'category'] as const
export type BulkResourceName = (typeof BULK_RESOURCES)[number]

export const MODES = ['create', 'upsert'] as const
export type Mode = (typeof MODES)[number]

const MATCHES = ['id', 'slug', 'sku', 'email', 'ref', 'name'] as const
export type Match = (typeof MATCHES)[number]

const JOB_STATUSES = ['receiving', 'waiting', 'running', 'done', 'cancelled', 'failed'] as const

export const MAX_BULK_BYTES = 1024 ** 3
export const MAX_BULK_LINES = 1_000_000
/** Unfinished jobs of a store. Each may hold a gigabyte of input. */
export const MAX_OPEN_JOBS = 5
/** How long a finished job and its results can be read. */
export const KEPT_DAYS = 7

export const BulkStart = Type.Object({
  resource: oneOf(BULK_RESOURCES, { description: 'What the lines are.' }),
  mode: oneOf(MODES, {
    default: 'create',
    description: '`create` makes a new resource of each line; `upsert` updates the one that `match` finds, if any.',
  }),
  match: Type.Optional(
    oneOf(MATCHES, {
      description:
        'The field that finds the existing resource: `id`, `slug` or `sku` of a product, `id` or `email` of a ' +
        'customer, `id` or `ref` of an order, `id` of a review, `id` or `name` of a category. Required with ' +
        '`mode=upsert`. A line without the field, or with one that finds nothing, creates.',
    }),
  ),
  file_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Reads the lines from an uploaded file instead of the body. Needs `file:browse`, too.',
    }),
  ),
})
export type BulkStart = Static<typeof BulkStart>

export const BulkJob = resource(
  'BulkJob',
  Type.Object(
    {
      id: Uuid,
      resource: oneOf(BULK_RESOURCES),
      mode: oneOf(MODES),
      match: nullable(oneOf(MATCHES)),
      dry_run: Type.Boolean({ description: 'true: every line is tried and rolled back.' }),
      status: oneOf(JOB_STATUSES),
      error: nullable(Type.String({ description: 'Why the whole job failed.' })),
      bytes: Type.Integer({ description: 'Size of the input.' }),
      counts: Type.Object(
        {
          lines: Type.Integer({ description: 'Lines of the input, without blank ones.' }),
          done: Type.Integer(),
          created: Type.Integer(),
          updated: Type.Integer(),
          failed: Type.Integer(),
        },
        { additionalProperties: false },
      ),
      lines_per_second: nullable(Type.Number()),
      estimated_end: nullable(Timestamp),
      created_at: Timestamp,
      started_at: nullable(Timestamp),
      finished_at: nullable(Timestamp),
    },
    { additionalProperties: false },
  ),
)

export const BulkQuery = listQuery(['created_at'], 'created_at', {
  resource: Type.Optional(oneOf(BULK_RESOURCES)),
  status: Type.Optional(extension(oneOf(JOB_STATUSES))),
})
