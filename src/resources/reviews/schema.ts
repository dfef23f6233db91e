import { type Static, Type } from 'typebox'
import { Email } from '../../core/input/email.ts'
import {
  creation,
  extension,
  listQuery,
  nullable,
  oneOf,
  ref,
  resource,
  several,
  Text,
  Timestamp,
  Uuid,
} from '../../core/input/schemas.ts'
import { updatedBounds } from '../../core/reading/filters.ts'
import { File } from '../files/schema.ts'
import { Product } from '../products/schema.ts'

export const REVIEW_STATUSES = ['pending', 'hidden', 'published'] as const
const ReviewStatus = oneOf(REVIEW_STATUSES)
const Rating = Type.Integer({ minimum: 1, maximum: 5 })

export const Review = resource(
  'Review',
  Type.Object(
    {
      id: Uuid,
      content: Type.String(),
      status: ReviewStatus,
      rating: Rating,
      reviewer_name: Type.String(),
      reviewer_email: nullable(Type.String()),
      created_at: Timestamp,
      updated_at: extension(Timestamp),
      images: Type.Array(ref(File)),
      product: ref(Product),
    },
    { additionalProperties: false },
  ),
)
export type Review = Static<typeof Review>

export const ReviewQuery = listQuery(['product_id', 'rating', 'created_at', 'updated_at'], 'created_at', {
  product_id: Type.Optional(Uuid),
  status: Type.Optional(several(ReviewStatus, { description: 'Reviews of any of these statuses.' })),
  rating: Type.Optional(Type.Integer({ minimum: 1, maximum: 5, description: 'Minimum rating.' })),
  ...updatedBounds,
})

const Content = Text(10_000, { minLength: 1 })
const ReviewerName = Text(255, { minLength: 1 })

const newReview = {
  product_id: Uuid,
  content: Content,
  rating: Rating,
  reviewer_name: ReviewerName,
  reviewer_email: Type.Optional(nullable(Email)),
  status: Type.Optional(oneOf(REVIEW_STATUSES, { default: 'pending' })),
  image_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50, description: 'Ids of images uploaded with POST /file.' })),
}
export const NewReview = creation(newReview)
export type NewReview = Static<typeof NewReview>

export const ReviewChanges = Type.Object({
  content: Type.Optional(Content),
  rating: Type.Optional(Rating),
  reviewer_name: Type.Optional(ReviewerName),
  reviewer_email: Type.Optional(nullable(Email)),
  status: Type.Optional(ReviewStatus),
})
/** A review whose reviewer was erased has no name, and can be imported as it was read. */
const imported = { reviewer_name: Text(255) }
export const ImportedReview = creation({ ...newReview, ...imported })
export const ImportedChanges = Type.Object({ ...ReviewChanges.properties, reviewer_name: Type.Optional(Text(255)) })
export type ReviewChanges = Static<typeof ReviewChanges>
