import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { changeResource, createResource, textVersion } from '../../core/reading/request-texts.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { createLandingPage } from './create-landing-page.ts'
import { landingPageList } from './list.ts'
import { deleteLandingPage, landingPageExists, publishLandingPage, unpublishLandingPage } from './queries.ts'
import { LandingPage, LandingPageChanges, LandingPageQuery, NewLandingPage } from './schema.ts'
import { updateLandingPage } from './update-landing-page.ts'

export const landingPageRoutes = (app: Api, { db }: { db: Db }) => {
  const subject = 'landing page'
  const one = data({ landing_page: ref(LandingPage) })
  const exists = (store: StoreId, id: string) => landingPageExists(db, store, id)

  readRoutes(app, db, {
    url: '/landing-page',
    config: { permission: 'landing_page:view' },
    list: landingPageList,
    shape: LandingPage,
    many: {
      operationId: 'listLandingPages',
      summary: 'List landing pages',
      querystring: LandingPageQuery,
    },
    one: { operationId: 'getLandingPage', summary: 'Fetch one landing page', subject },
  })

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
    async (request, reply) =>
      createResource(db, request, reply, 'landing_page', (db) => createLandingPage(db, request.store, request.body)),
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
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, 'landing_page', params.id, (db) =>
        updateLandingPage(db, store, params.id, body),
      )
    },
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
    async (request, reply) => {
      const { params, store } = request
      return changeResource(db, request, reply, 'landing_page', params.id, (db) =>
        publishLandingPage(db, store, params.id),
      )
    },
  )

  app.post(
    '/landing-page/:id/unpublish',
    {
      config: { permission: 'landing_page:publish', extension: true, subject },
      schema: {
        operationId: 'unpublishLandingPage',
        summary: 'Take back the publication of a landing page',
        description: 'Clears `published_at`. A page that is not published does not change.',
        params: IdParams,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      return changeResource(db, request, reply, 'landing_page', params.id, (db) =>
        unpublishLandingPage(db, store, params.id),
      )
    },
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
    async (request, reply) => {
      const { params, store } = request
      const resource = textVersion(request, 'landing_page', params.id)
      return writeOnce(db, reply, { status: 200, resource }, async (db) => {
        if (!(await deleteLandingPage(db, store, params.id))) throw notFound(subject)
        return ''
      })
    },
  )
}
