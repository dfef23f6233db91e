import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requirePermission } from '../../core/http/access.ts'
import type { Api } from '../../core/http/api.ts'
import { isDryRun } from '../../core/http/dry-run.ts'
import { NDJSON, wrongType } from '../../core/http/error-replies.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { hasBody } from '../../core/http/json-bodies.ts'
import { isJsonLines } from '../../core/http/json-lines.ts'
import { sendText } from '../../core/http/json-reply.ts'
import { tagOf } from '../../core/http/versions.ts'
import { data, errors, IdParams, page, ref } from '../../core/input/schemas.ts'
import { sendPage } from '../../core/reading/list.ts'
import { rereadText, textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError, invalid, notFound } from '../../errors.ts'
import { requireQuotaForInput } from '../files/quota.ts'
import type { BulkResources } from './bulk-resources.ts'
import { bulkJobList } from './list.ts'
import { cancelJob, findJob, jobExists, queueJob, readResults } from './queries.ts'
import { inputTooLarge } from './receive-input.ts'
import { removeInput } from './run-job.ts'
import { type BulkServices, newJobs } from './runner.ts'
import { BulkJob, type BulkStart, bulkQuery, bulkStart, KEPT_DAYS, MAX_BULK_BYTES } from './schema.ts'
import { openFile, startJob } from './start-job.ts'

const permissionBy = {
  sentence:
    'Needs the permissions of the single requests: to import products `product:create`, with `mode=upsert` also ' +
    '`product:update`, and with `mode=update` only that.',
  example: 'product:create',
}

const requirePermissions = (request: FastifyRequest, resource: string, mode: string) => {
  for (const permission of request.server.bulkResources.permissionsFor(resource, mode))
    requirePermission(request, permission)
}

const checkMatch = (resources: BulkResources, { resource, mode, match }: BulkStart) => {
  if (mode === 'create') {
    if (match) throw invalid({ match: ['is for mode=upsert and mode=update'] })
    return
  }
  if (!match) throw invalid({ match: [`is required with mode=${mode}`] })
  const known = resources.matches(resource)
  if (!known.includes(match)) throw invalid({ match: [`must be one of ${known.join(', ')} for a ${resource}`] })
}

/** The lines as a stream: the body, or the content of a file. */
const inputOf = (services: BulkServices, request: FastifyRequest, fileId: string | undefined) => {
  const { headers, raw, store } = request
  const given = hasBody(request)
  if (given && !isJsonLines(headers['content-type'])) throw wrongType(request)
  if (Number(headers['content-length'] ?? 0) > MAX_BULK_BYTES) throw inputTooLarge()
  if (given && fileId) throw invalid({ file_id: ['cannot be given together with a body'] })
  if (!given && !fileId) throw invalid({ file_id: ['or an NDJSON body is required'] })
  if (fileId === undefined) return async () => raw
  requirePermission(request, 'file:browse')
  return () => openFile(services.db, services.blobs, store, fileId)
}

/** Refuses a caller who may not start such a job. */
const requireJob = async (db: Db, request: FastifyRequest, id: string) => {
  const job = await findJob(db, request.store, id)
  if (!job) throw notFound('bulk job')
  requirePermissions(request, job.resource, job.mode)
}

/** A request whose body was read to its end is destroyed too. */
const isAborted = (error: unknown, { raw }: FastifyRequest) =>
  !(error instanceof ApiError) && raw.destroyed && !raw.complete

export const bulkRoutes = (app: Api, services: BulkServices) => {
  const { db, log, config, bulkResources } = services
  const key = 'job'
  const subject = 'bulk job'
  const one = data({ job: ref(BulkJob) })
  const exists = (store: StoreId, id: string) => jobExists(db, store, id)

  app.post(
    '/bulk',
    {
      config: {
        access: 'installation',
        permissionBy,
        extension: true,
        bodyInHandler: true,
        ndjsonBody:
          'NDJSON: one JSON object per line, each the body of a single request, at most 4 MB. At most 1 GB and ' +
          '1,000,000 lines; blank lines are skipped. The request must arrive within five minutes.',
      },
      schema: {
        operationId: 'createBulk',
        summary: 'Import many lines',
        description:
          'Stores the lines and answers with a job that works on them: several lines per transaction, each with the ' +
          'checks of a single request. A line that is refused is reported and does not affect the others. The job ' +
          'survives restarts of the server and does no line twice. A line may be a resource as it was read. In a ' +
          'product, `category` may be a name; a category that does not exist is created. With ' +
          `\`Prefer: dry-run\` or \`dry_run=true\` every line is tried and rolled back; the job and its results ` +
          `stay. A store may have 5 unfinished jobs, which run one after the other. Jobs and results are deleted ` +
          `${KEPT_DAYS} days after their end.`,
        querystring: bulkStart(bulkResources),
        response: { 202: one, ...errors },
      },
    },
    async (request, reply) => {
      const { query, store, caller, texts } = request
      requirePermissions(request, query.resource, query.mode)
      checkMatch(bulkResources, query)
      const open = inputOf(services, request, query.file_id)
      const job = {
        store_id: store,
        id: newId(),
        resource: query.resource,
        mode: query.mode,
        match: query.match ?? null,
        dry_run: isDryRun(request),
        app_id: caller.app.id,
        app_name: caller.app.name,
        installation_id: caller.installation?.id ?? null,
        account_id: caller.app.account?.id ?? null,
      }
      const work = async (input: { sha256: string; bytes: number; lines: number }, queued: () => void) => {
        request.bodyFingerprint = `${input.sha256} ${job.dry_run}`
        const answer = { status: 202, key, render: rereadText(request, 'bulk_job'), handlesDryRun: true } as const
        const afterwards = async () => {
          newJobs.emit('job')
        }
        return writeOnce(db, reply, { ...answer, afterwards }, async (db) => {
          if (config.STORE_QUOTA_GB > 0)
            await requireQuotaForInput(
              db,
              store,
              config.STORE_QUOTA_GB,
              input.bytes,
              query.file_id ? 'file_id' : 'body',
            )
          await queueJob(db, job, input)
          queued()
          return (await texts.one(db, 'bulk_job', job.id)) as string
        })
      }
      return startJob(services, job, open, work).catch((error) => {
        throw isAborted(error, request) ? new ApiError('bad_request', 'The request was aborted.') : error
      })
    },
  )

  app.get(
    '/bulk',
    {
      config: { access: 'installation', permissionBy, extension: true },
      schema: {
        operationId: 'listBulkJobs',
        summary: 'List bulk jobs',
        description: 'Shows the jobs of resources that the caller may create.',
        querystring: bulkQuery(bulkResources),
        response: { 200: page('jobs', ref(BulkJob)), ...errors },
      },
    },
    (request, reply) => {
      const { permissions } = request.caller.installation ?? {}
      const visible = bulkResources.names.filter((name) => permissions?.has(bulkResources.get(name).permissions.create))
      return sendPage(db, request, reply, bulkJobList, { ...request.query, visible } as typeof request.query)
    },
  )

  app.get(
    '/bulk/:id',
    {
      config: { access: 'installation', permissionBy, extension: true, subject },
      schema: {
        operationId: 'getBulk',
        summary: 'Fetch one bulk job',
        description: 'Its counts, its rate, and when it will have ended at that rate.',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, texts } = request
      await requireJob(db, request, params.id)
      const job = await texts.one(db, 'bulk_job', params.id)
      if (!job) throw notFound(subject)
      return sendText(reply, key, job, tagOf(job))
    },
  )

  app.get(
    '/bulk/:id/result',
    {
      config: { access: 'installation', permissionBy, extension: true, subject, produces: NDJSON },
      schema: {
        operationId: 'exportBulkResult',
        summary: 'Download the results of a bulk job',
        description:
          'NDJSON with a line for each line that is done so far, in sequence: `{line, status, id}` with the status ' +
          '`created` or `updated`, or `{line, status: "failed", code, message, errors}` with the errors by field. ' +
          '`ignored` names unknown fields.',
        params: IdParams,
        response: { 200: Type.Unsafe<Readable>({ type: 'string' }), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store, method } = request
      await requireJob(db, request, params.id)
      reply.type(NDJSON).header('Cache-Control', 'private, no-store')
      const checkCaller = async () => {
        await request.checkAgain()
        await requireJob(db, request, params.id)
      }
      const lines = method === 'HEAD' ? [] : readResults(db, store, params.id, checkCaller)
      return reply.send(Readable.from(lines, { highWaterMark: 1 }))
    },
  )

  app.delete(
    '/bulk/:id',
    {
      config: { access: 'installation', permissionBy, extension: true, subject, exists },
      schema: {
        operationId: 'deleteBulk',
        summary: 'Cancel a bulk job',
        description:
          'Lines that are done stay done, and their results can still be read. A finished job is not changed.',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, store, texts } = request
      const { id } = params
      await requireJob(db, request, id)
      const afterwards = () =>
        removeInput(services, { store_id: store, id }).catch((error) =>
          log.warn({ err: error }, 'the input of a cancelled job was not removed yet'),
        )
      const resource = textVersion(request, 'bulk_job', id)
      return writeOnce(
        db,
        reply,
        { status: 200, key, render: rereadText(request, 'bulk_job'), resource, afterwards },
        async (db) => {
          await cancelJob(db, store, id)
          const job = await texts.one(db, 'bulk_job', id)
          if (!job) throw notFound(subject)
          return job
        },
      )
    },
  )
}
