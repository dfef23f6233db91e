import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendJson } from '../../core/http/json-reply.ts'
import type { FormRules, Upload } from '../../core/http/multipart.ts'
import { data, errors, IdParams, page, ref } from '../../core/input/schemas.ts'
import { sendPage } from '../../core/reading/list.ts'
import { changeResource, rereadText, sendResource, textVersion } from '../../core/reading/request-texts.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { deleteUnusedFiles } from './delete-unused.ts'
import { MAX_LINKS_OF_EACH } from './limits.ts'
import { fileList, requestedTypes } from './list.ts'
import { deleteFiles, detachFile, fileExists, listLinks, lockOwner, updateAlt } from './queries.ts'
import { uploadBytes } from './rules.ts'
import { type UploadServices, withUploads } from './save-uploads.ts'
import {
  File,
  FileChanges,
  FileDeletion,
  FileFields,
  FileLink,
  FileQuery,
  LinkParams,
  MAX_LINKS_SHOWN,
  UnusedFiles,
} from './schema.ts'
import { releaseClaims } from './unclaimed-blobs.ts'
import { checkAttachment, unusedFields, uploadFile } from './upload-file.ts'

export const fileRoutes = (app: Api, services: UploadServices) => {
  const { db, config, log } = services
  const exists = (store: StoreId, id: string) => fileExists(db, store, id)
  const release = (store: StoreId, claims: string[]) =>
    releaseClaims(services, store, claims).catch((error) => log.warn({ err: error }, 'bytes were not removed yet'))

  app.get(
    '/file',
    {
      config: { permission: 'file:browse' },
      schema: {
        operationId: 'listFiles',
        summary: 'List files',
        querystring: FileQuery,
        response: { 200: page('files', ref(File)), ...errors },
      },
    },
    (request, reply) => {
      const { query } = request
      const listQuery = { ...query, mime_type: requestedTypes(query.mime_type) }
      return sendPage(db, request, reply, fileList, listQuery)
    },
  )

  app.get(
    '/file/:id',
    {
      config: { permission: 'file:browse', subject: 'file' },
      schema: {
        operationId: 'getFile',
        summary: 'Fetch one file',
        params: IdParams,
        response: { 200: data({ file: ref(File) }), ...errors },
      },
    },
    (request, reply) => sendResource(db, request, reply, 'file', request.params.id),
  )

  app.get(
    '/file/:id/link',
    {
      config: { permission: 'file:browse', extension: true, subject: 'file' },
      schema: {
        operationId: 'listFileLinks',
        summary: 'List what uses a file',
        description: `The first ${MAX_LINKS_SHOWN} resources that the file is linked to, or whose text has its address.`,
        params: IdParams,
        response: { 200: data({ links: Type.Array(ref(FileLink), { maxItems: MAX_LINKS_SHOWN }) }), ...errors },
      },
    },
    async ({ params, store }, reply) => {
      if (!(await fileExists(db, store, params.id))) throw notFound('file')
      const links = await listLinks(db, store, [params.id], MAX_LINKS_SHOWN)
      return sendJson(reply, JSON.stringify({ data: { links: links.get(params.id) ?? [] } }))
    },
  )

  const form: FormRules<typeof FileFields> = {
    body: FileFields,
    as: 'fields',
    files: { file: { maxFiles: 1, maxBytes: uploadBytes(config), required: true, overIsTooLarge: true } },
    more: checkAttachment,
  }

  app.post(
    '/file',
    {
      config: { permission: 'file:upload', bodyInHandler: true, fileParts: { file: 'The file itself.' } },
      schema: {
        operationId: 'uploadFile',
        summary: 'Upload a file',
        description: `Up to ${config.MAX_UPLOAD_MB} MB. The type is detected from the content. Corrupt pictures are refused.`,
        body: FileFields,
        response: { 201: data({ file: ref(File) }), ...errors },
      },
    },
    async (request, reply) =>
      withUploads(request, services, form, ({ body, uploads: [upload] }) => {
        request.ignoredInput?.push(...unusedFields(body))
        return writeOnce(db, reply, { status: 201, key: 'file', render: rereadText(request, 'file') }, (db) =>
          uploadFile(db, request, upload as Upload, body),
        )
      }),
  )

  app.put(
    '/file/:id',
    {
      config: { permission: 'file:upload', extension: true, subject: 'file', exists },
      schema: {
        operationId: 'updateFile',
        summary: 'Change the alternative text of a file',
        description: 'Everything that shows the file shows the new text.',
        params: IdParams,
        body: FileChanges,
        response: { 200: data({ file: ref(File) }), ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, 'file', params.id, async (db) => {
        if (body.alt !== undefined) await updateAlt(db, store, params.id, body.alt)
      })
    },
  )

  app.post(
    '/file/:id',
    {
      config: { permission: 'file:delete', subject: 'file' },
      schema: {
        operationId: 'deleteFile',
        summary: 'Delete a file',
        description:
          'Unlinks the file from every resource and deletes its content, unless another file has the same content.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      const claims: string[] = []
      const afterwards = () => release(store, claims)
      return writeOnce(
        db,
        reply,
        { status: 200, resource: textVersion(request, 'file', params.id), afterwards },
        async (db) => {
          claims.push(...(await deleteFiles(db, store, [params.id])))
          if (claims.length === 0) throw notFound('file')
          return ''
        },
      )
    },
  )

  app.post(
    '/file/unused',
    {
      config: { permission: 'file:delete', extension: true },
      schema: {
        operationId: 'deleteUnusedFiles',
        summary: 'Delete files that nothing uses',
        description:
          'A file that something uses by then is kept. The reply has a line for each file of the request, in the same ' +
          'sequence; that of a dry run says what would be deleted, and what uses the others.',
        body: UnusedFiles,
        response: { 200: data({ files: Type.Array(ref(FileDeletion)) }), ...errors },
      },
    },
    async ({ body, store, caller }, reply) => {
      const claims: string[] = []
      const shownLinks = caller.installation?.permissions.has('file:browse') ? MAX_LINKS_OF_EACH : 0
      const afterwards = () => release(store, claims)
      return writeOnce(db, reply, { status: 200, key: 'files', afterwards }, async (db) => {
        const { files, claims: left } = await deleteUnusedFiles(db, store, body.file_ids, shownLinks)
        claims.push(...left)
        return JSON.stringify(files)
      })
    },
  )

  app.delete(
    '/file/:id/link/:fileable_type/:fileable_id',
    {
      config: { permission: 'file:delete', subject: 'link' },
      schema: {
        operationId: 'unlinkFile',
        summary: 'Unlink a file from a resource',
        description: 'The file itself is not deleted.',
        params: LinkParams,
        response: { 200: data({ file: ref(File) }), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store, texts } = request
      const { id, fileable_type: kind, fileable_id: owner } = params
      const resource = textVersion(request, 'file', id)
      return writeOnce(
        db,
        reply,
        { status: 200, key: 'file', render: rereadText(request, 'file'), resource },
        async (db) => {
          await lockOwner(db, store, kind, owner)
          const unlinked = await detachFile(db, store, id, kind, owner)
          const file = await texts.one(db, 'file', id)
          if (!file) throw notFound('file')
          if (!unlinked) throw notFound('link')
          await texts.keep(db, kind, owner)
          return file
        },
      )
    },
  )
}
