import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { data, errors, IdParams, ref } from '../../core/input/schemas.ts'
import { readRoutes } from '../../core/reading/read-routes.ts'
import { changeResource, createResource, textVersion } from '../../core/reading/request-texts.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { IMAGE_FILES } from '../files/rules.ts'
import { type UploadServices, withUploads } from '../files/save-uploads.ts'
import { createReview } from './create-review.ts'
import { reviewList } from './list.ts'
import { deleteReview, reviewExists } from './queries.ts'
import { NewReview, Review, ReviewChanges, ReviewQuery } from './schema.ts'
import { updateReview } from './update-review.ts'

const form = { body: NewReview, as: 'metadata', files: { images: IMAGE_FILES } } as const

export const reviewRoutes = (app: Api, services: UploadServices) => {
  const { db } = services
  const subject = 'review'
  const one = data({ review: ref(Review) })
  const exists = (store: StoreId, id: string) => reviewExists(db, store, id)

  readRoutes(app, db, {
    url: '/review',
    config: { permission: 'review:view' },
    list: reviewList,
    shape: Review,
    many: {
      operationId: 'listReviews',
      summary: 'List reviews',
      querystring: ReviewQuery,
    },
    one: { operationId: 'getReview', summary: 'Fetch one review', subject },
  })

  app.post(
    '/review',
    {
      config: {
        permission: 'review:create',
        bodyInHandler: true,
        fileParts: { 'images[]': 'Pictures: jpeg, png, webp or gif, at most 5 MB each.' },
      },
      schema: {
        operationId: 'createReview',
        summary: 'Create a review',
        description:
          'Send multipart/form-data with the review as JSON in `metadata` and pictures in `images[]`, or, ' +
          'without pictures, application/json with the review itself. Pictures are added after those of ' +
          '`image_ids`.',
        body: NewReview,
        response: { 201: one, ...errors },
      },
    },
    async (request, reply) =>
      withUploads(request, services, form, ({ body, uploads }) =>
        createResource(db, request, reply, 'review', (db) => createReview(db, request.store, body, uploads)),
      ),
  )

  app.put(
    '/review/:id',
    {
      config: { permission: 'review:update', extension: true, subject, exists },
      schema: {
        operationId: 'updateReview',
        summary: 'Update a review',
        description: 'Only the given fields change.',
        params: IdParams,
        body: ReviewChanges,
        response: { 200: one, ...errors },
      },
    },
    async (request, reply) => {
      const { params, body, store } = request
      return changeResource(db, request, reply, 'review', params.id, (db) => updateReview(db, store, params.id, body))
    },
  )

  app.delete(
    '/review/:id',
    {
      config: { permission: 'review:delete', extension: true, subject },
      schema: {
        operationId: 'deleteReview',
        summary: 'Delete a review',
        description: 'The files of its images are not deleted.',
        params: IdParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store } = request
      const resource = textVersion(request, 'review', params.id)
      return writeOnce(db, reply, { status: 200, resource }, async (db) => {
        if (!(await deleteReview(db, store, params.id))) throw notFound(subject)
        return ''
      })
    },
  )
}
