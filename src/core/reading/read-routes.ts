import type { FastifyContextConfig } from 'fastify'
import type { TSchema } from 'typebox'
import type { Api } from '../http/api.ts'
import { data, errors, IdParams, page, ref } from '../input/schemas.ts'
import type { Db } from '../storage/database.ts'
import type { PageQuery } from './cursor.ts'
import { type List, sendPage } from './list.ts'
import { sendResource } from './request-texts.ts'

interface Reads {
  url: string
  /** Who may call both. */
  config: Pick<FastifyContextConfig, 'permission' | 'extension'>
  list: List
  /** A row of the list, and the resource alone. */
  shape: TSchema
  many: { operationId: string; summary: string; description?: string; querystring: TSchema }
  one: { operationId: string; summary: string; subject: string }
}

/** The reads that most resources have: a page of the list, and one resource under the name of its kind. */
export const readRoutes = (app: Api, db: Db, { url, config, list, shape, many, one: { subject, ...one } }: Reads) => {
  app.get(
    url,
    { config, schema: { ...many, response: { 200: page(list.key, ref(shape)), ...errors } } },
    (request, reply) => sendPage(db, request, reply, list, request.query as PageQuery<string>),
  )

  app.get(
    `${url}/:id`,
    {
      config: { ...config, subject },
      schema: { ...one, params: IdParams, response: { 200: data({ [list.kind]: ref(shape) }), ...errors } },
    },
    (request, reply) => sendResource(db, request, reply, list.kind, request.params.id),
  )
}
