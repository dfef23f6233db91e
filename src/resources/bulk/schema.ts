import { type Static, Type } from 'typebox'
import { extension, listQuery, nullable, oneOf, resource, several, Timestamp, Uuid } from '../../core/input/schemas.ts'
import type { BulkResources } from './bulk-resources.ts'

export const MODES = ['create', 'upsert', 'update'] as const
export type Mode = (typeof MODES)[number]

export const JOB_STATUSES = ['receiving', 'waiting', 'running', 'done', 'cancelled', 'failed'] as const

export const MAX_BULK_BYTES = 1024 ** 3
export const MAX_BULK_LINES = 1_000_000
/** Unfinished jobs of a store. Each may hold a gigabyte of input. */
export const MAX_OPEN_JOBS = 5
/** How long a finished job and its results can be read. */
export const KEPT_DAYS = 7

const allMatches = ({ names, matches }: BulkResources) => [...new Set(names.flatMap(matches))]

/** Formats the match fields of every resource: `product: id, slug, sku`. */
const matchesByName = ({ names, matches }: BulkResources) =>
  names
    .map(
      (name) =>
        `${name}: ${matches(name)
          .map((field) => `\`${field}\``)
          .join(', ')}`,
    )
    .join('; ')

export const bulkStart = (resources: BulkResources) =>
  Type.Object({
    resource: oneOf(resources.names, { description: 'What the lines are.' }),
    mode: oneOf(MODES, {
      default: 'create',
      description:
        '`create` makes a new resource of each line; `upsert` updates the one that `match` finds, if any, and else creates ' +
        'it; `update` creates nothing: a line that finds nothing fails.',
    }),
    match: Type.Optional(
      oneOf(allMatches(resources), {
        description:
          'Required with `mode=upsert` and `mode=update`: the field that finds the existing resource. With `upsert`, a line ' +
          `without the field, or with a value that finds nothing, creates one. ${matchesByName(resources)}.`,
      }),
    ),
    file_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Reads the lines from an uploaded file instead of the body. Needs `file:browse`, too.',
      }),
    ),
  })
export type BulkStart = Static<ReturnType<typeof bulkStart>>

/** `resources` are those that exist; the OpenAPI document lists them. */
const jobShape = (resources?: BulkResources) =>
  Type.Object(
    {
      id: Uuid,
      resource: resources ? oneOf(resources.names) : Type.String(),
      mode: oneOf(MODES),
      match: nullable(resources ? oneOf(allMatches(resources)) : Type.String()),
      dry_run: Type.Boolean({ description: 'true: every line is tried and rolled back.' }),
      status: oneOf(JOB_STATUSES),
      error: nullable(
        Type.String({ description: 'Why the whole job failed, or why it is waiting: the disk is full.' }),
      ),
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
  )

export const BulkJob = resource('BulkJob', jobShape())
export type BulkJob = Static<typeof BulkJob>

/** The schema of a job for the OpenAPI document, by its name there. */
export const publishedBulkJob = (resources: BulkResources) => ({ BulkJob: jobShape(resources) })

export const bulkQuery = ({ names }: BulkResources) =>
  listQuery(['created_at'], 'created_at', {
    resource: Type.Optional(oneOf(names)),
    status: Type.Optional(extension(several(oneOf(JOB_STATUSES), { description: 'Jobs of any of these statuses.' }))),
  })
