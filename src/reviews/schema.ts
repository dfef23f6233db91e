import Type, { type Static } from 'typebox'
import { File } from '../files/schema.ts'
import { Email } from '../input/email.ts'
import {
  creation,
  extension,
  listQuery,
  nullable,
  oneOf,
  ref,
  resource,
  Text,
  Timestamp,
  Uuid,
} from '../input/schemas.ts'
import { Product } from '../products/schema.ts'
import { updatedBounds } from '../reading/date-filters.ts'

const ReviewStatus = oneOf(['pending', 'hidden', 'published'])
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

export const ReviewQuery = listQuery(['product_id', 'rating', 'created_at', 'updated_at'], 'created_at', {
  product_id: Type.Optional(Uuid),
  status: Type.Optional(ReviewStatus),
  rating: Type.Optional(Type.Integer({ minimum: 1, maximum: 5, description: 'Minimum rating.' })),
  ...updatedBounds,
})

const Content = Text(10_000, { minLength: 1 })
const ReviewerName = Text(255, { minLength: 1 })

export const NewReview = creation({
  product_id: Uuid,
  content: Content,
  rating: Rating,
  reviewer_name: ReviewerName,
  reviewer_email: Type.Optional(nullable(Email)),
  status: Type.Optional(oneOf(['pending', 'hidden', 'published'], { default: 'pending' })),
  image_ids: Type.Optional(Type.Array(Uuid, { maxItems: 50, description: 'Ids of images uploaded with POST /file.' })),
})
export type NewReview = Static<typeof NewReview>

export const ReviewChanges = Type.Object({
  content: Type.Optional(Content),
  rating: Type.Optional(Rating),
  reviewer_name: Type.Optional(ReviewerName),
  reviewer_email: Type.Optional(nullable(Email)),
  status: Type.Optional(ReviewStatus),
})
export type ReviewChanges = Static<typeof ReviewChanges>
