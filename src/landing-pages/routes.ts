import type { FastifyRequest } from 'fastify'
import { notFound } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { writeOnce } from '../http/idempotency.ts'
import { sendText } from '../http/json-reply.ts'
import { tagOf } from '../http/versions.ts'
import { data, errors, IdParams, page, ref } from '../input/schemas.ts'
import { findAgain } from '../reading/find-one.ts'
import { listPage } from '../reading/list-page.ts'
import type { Db } from '../storage/database.ts'
import { createLandingPage } from './create-landing-page.ts'
import {
  deleteLandingPage,
  findLandingPage,
  landingPageExists,
  landingPageFilters,
  landingPageListing,
  landingPageVersion,
  publishLandingPage,
} from './queries.ts'
import { LandingPage, LandingPageChanges, LandingPageQuery, NewLandingPage } from './schema.ts'
import { updateLandingPage } from './update-landing-page.ts'

export const landingPageRoutes = (app: Api, { db }: { db: Db }) => {
  const subject = 'landing page'
  const key = 'landing_page'
  const one = data({ landing_page: ref(LandingPage) })
  const exists = ({ params, store }: FastifyRequest) => landingPageExists(db, store, (params as { id: string }).id)

  app.get(
    '/landing-page',
    {
      config: { permission: 'landing_page:view' },
      schema: {
        operationId: 'listLandingPages',
        summary: 'List landing pages',
        querystring: LandingPageQuery,
        response: { 200: page('landingPages', ref(LandingPage)), ...errors },
      },
    },
    async ({ query, store, fileUrls }, reply) =>
      listPage(db, reply, landingPageListing(fileUrls), query, store, landingPageFilters(query)),
  )

  app.get(
    '/landing-page/:id',
    {
      config: { permission: 'landing_page:view', subject },
      schema: {
        operationId: 'getLandingPage',
        summary: 'Fetch one landing page',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async ({ params, store, fileUrls }, reply) => {
      const page = await findLandingPage(db, fileUrls, store, params.id)
      if (!page) throw notFound(subject)
      return sendText(reply, key, page, tagOf(page))
    },
  )

  app.post(
    '/landing-page',
    {
      config: { permission: 'landing_page:create', extension: true },
      schema: {
        operationId: 'createLandingPage',
        summary: 'Create a landing page',
        description: 'The slug is made from the title by default.',
        body: NewLandingPage,
        response: { 201: one, ...errors },
      },
    },
    async ({ body, store, fileUrls }, reply) =>
      writeOnce(db, reply, { status: 201, key, render: findAgain(reply.request, findLandingPage) }, (db) =>
        createLandingPage(db, fileUrls, store, body),
      ),
  )

  app.put(
    '/landing-page/:id',
    {
      config: { permission: 'landing_page:update', extension: true, subject, exists },
      schema: {
        operationId: 'updateLandingPage',
        summary: 'Update a landing page',
        description: 'Only the given fields change.',
        params: IdParams,
        body: LandingPageChanges,
        response: { 200: one, ...errors },
      },
    },
    async ({ params, body, store, fileUrls }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 200,
          key,
          render: findAgain(reply.request, findLandingPage),
          resource: landingPageVersion(fileUrls, store, params.id),
        },
        (db) => updateLandingPage(db, fileUrls, store, params.id, body),
      ),
  )

  app.post(
    '/landing-page/:id/publish',
    {
      config: { permission: 'landing_page:publish', extension: true, subject },
      schema: {
        operationId: 'publishLandingPage',
        summary: 'Publish a landing page',
        description: 'Sets `published_at`. Publishing a published page changes nothing.',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async ({ params, store, fileUrls }, reply) =>
      writeOnce(
        db,
        reply,
        {
          status: 200,
          key,
          render: findAgain(reply.request, findLandingPage),
          resource: landingPageVersion(fileUrls, store, params.id),
        },
        async (db) => {
          await publishLandingPage(db, store, params.id)
          const page = await findLandingPage(db, fileUrls, store, params.id)
          if (!page) throw notFound(subject)
          return page
        },
      ),
  )

  app.delete(
    '/landing-page/:id',
    {
      config: { permission: 'landing_page:delete', extension: true, subject },
      schema: {
        operationId: 'deleteLandingPage',
        summary: 'Delete a landing page',
        description: 'Orders placed through it stay; their landing page becomes null.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async ({ params, store, fileUrls }, reply) =>
      writeOnce(db, reply, { status: 200, resource: landingPageVersion(fileUrls, store, params.id) }, async (db) => {
        if (!(await deleteLandingPage(db, store, params.id))) throw notFound(subject)
        return ''
      }),
  )
}
