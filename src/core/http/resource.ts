import type { FastifyContextConfig } from 'fastify'
import type { ValidationErrors } from '../../errors.ts'
import type { Checker } from '../input/validation.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { Tables } from '../storage/tables.ts'
import type { AppRecord, InstallationRecord } from './access.ts'
import type { Api } from './api.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape, and each slice knows those of its own.
type Row = any

/** Rows of the demo store by their key in the `data` of a reply: `product`, `order`. */
export type RecordedRows = Record<string, Row>
/** Replies of the demo store to reads, by operationId: `listProducts`. */
export type RecordedReplies = Record<string, { data: RecordedRows }>

/** Examples for the OpenAPI document. Ids are those of the demo store, so that example requests work there. */
export interface Examples {
  /** The query of a recorded read, by operationId, where the first row of a list does not show enough. */
  queries?: Record<string, string>
  /** Reads whose lists are recorded in full. */
  whole?: string[]
  /** More rows to record, from earlier replies or from more reads. */
  rows?: (
    replies: RecordedReplies,
    read: (path: string) => Promise<{ data: RecordedRows }>,
  ) => RecordedRows | Promise<RecordedRows>
  /** The body of each operation that takes one, by operationId. */
  bodies?: (rows: RecordedRows) => Record<string, unknown>
  /** Replies that no read shows, by operationId. */
  replies?: (rows: RecordedRows) => Record<string, { data: RecordedRows }>
  /** Examples of named schemas other than `rows.landing_page` for `LandingPage`. */
  schemas?: (rows: RecordedRows, replies: RecordedReplies) => Record<string, unknown>
  /** Ids in the path of an operation, by operationId, other than `rows.landing_page.id` for `/landing-page/{id}`. */
  ids?: (rows: RecordedRows) => Record<string, string>
}

type Permission = FastifyContextConfig['permission']

/** A kind of resource whose changes become events. */
export interface EventKind {
  /** What a caller needs to see its events. None: every installation sees them. */
  permission: Permission
  /** What can happen to it: `created`, `updated` and `deleted` unless given. */
  actions?: readonly string[]
  /** How `GET /snapshot` reads it. Without this, a snapshot leaves it out. */
  snapshot?: {
    /** The table with one row for each resource. */
    table: keyof Tables
    /** Place in a snapshot: kinds come in ascending order, those that others refer to first. Must not be changed later. */
    order: number
    /** What a caller needs in addition to `permission`. */
    permission?: Permission
  }
}

/** A parsed line of a bulk job, before it is validated. */
export type LineFields = Record<string, unknown>

/** Finds the id of the existing resource that a line is about. */
export type FindByLine = (db: Tx, store: StoreId, line: LineFields) => Promise<string | undefined>

/** The store and the app on whose behalf a bulk job runs. */
export interface LineContext {
  store: StoreId
  app: AppRecord
  /** Limits of the plan of the store. */
  limits?: InstallationRecord['limits']
}

/** How bulk jobs match, check and write the lines of a kind of resource: by the same operations as single requests. */
export interface BulkResource {
  /** The table with one row for each resource. */
  table: keyof Tables
  /** Several if a line may do what single requests do with another permission. */
  permissions: { create: NonNullable<Permission>; update: NonNullable<Permission> | readonly NonNullable<Permission>[] }
  /** The fields other than `id` that a line may be matched by. */
  find?: Readonly<Record<string, FindByLine>>
  /** Brings a line into the shape of the body of a single request. */
  adapt?: (line: LineFields, ignored: string[]) => void
  prepare?: (db: Tx, store: StoreId, line: LineFields, id: string | undefined) => Promise<void>
  creation: Checker
  changes: Checker
  checkNew?: (body: never, ignored: readonly string[], errors: ValidationErrors) => void
  create: (db: Tx, context: LineContext, body: never) => Promise<string>
  update: (db: Tx, context: LineContext, id: string, body: never) => Promise<unknown>
  /** Renders and stores the texts of all resources that a batch has created, if `create` does not. */
  keepTexts?: (db: Tx, store: StoreId, ids: string[]) => Promise<unknown>
}

/** What a slice declares; the application and the OpenAPI document collect it. */
export interface Resource<Services> {
  /** Heading in the OpenAPI document. Slices may share one: categories are under Products. */
  heading: string
  /** Given by the slice that owns the heading. */
  description?: string
  routes: (app: Api, services: Services) => void
  /** Its kinds of text (`reading/texts.ts`), by the name that holes use. */
  kinds?: object
  /** Its kinds of events, by the name that migrations pass to capture_changes(). */
  events?: Readonly<Record<string, EventKind>>
  /** What bulk jobs import and the command line exports, by its kind of text. */
  bulk?: Readonly<Record<string, BulkResource>>
  examples?: Examples
}

export type ResourceDocumentation = Omit<Resource<never>, 'routes'>

/** Registers the routes of a resource and records it as their owner in the route table. */
export const registerResource = <Services>(app: Api, resource: Resource<Services>, services: Services) => {
  const before = app.routeTable.length
  resource.routes(app, services)
  for (const route of app.routeTable.slice(before)) route.resource = resource
}
