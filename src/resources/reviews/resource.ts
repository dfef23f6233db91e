import type { Resource } from '../../core/http/resource.ts'
import type { UploadServices } from '../files/save-uploads.ts'
import { reviewBulk } from './bulk.ts'
import { reviewRoutes } from './routes.ts'
import { reviewKind } from './text.ts'

export const reviews: Resource<UploadServices> = {
  heading: 'Reviews',
  description: 'Customer reviews of products.',
  routes: reviewRoutes,
  kinds: { review: reviewKind },
  events: { review: { permission: 'review:view', snapshot: { table: 'review', order: 90 } } },
  bulk: { review: reviewBulk },
  examples: {
    bodies: ({ product }) => ({
      createReview: {
        product_id: product.id,
        content: 'Keeps the coffee warm, and the glaze is even better in the sun.',
        rating: 5,
        reviewer_name: 'Amina',
        status: 'published',
      },
      updateReview: { status: 'hidden' },
    }),
  },
}
