import type { Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { policyRoutes } from './routes.ts'
import { policyKind } from './text.ts'

export const policies: Resource<{ db: Db }> = {
  heading: 'Policies',
  description: 'Refund, privacy, shipping and other policies of the store, as plain text or Markdown.',
  routes: policyRoutes,
  kinds: { policy: policyKind },
  events: { policy: { permission: 'policy:view', snapshot: { table: 'policy', order: 50 } } },
  examples: {
    bodies: () => ({
      createPolicy: {
        type: 'custom',
        title: 'Gift wrapping',
        content: 'We wrap gifts **for free** from 50 TND.',
        is_published: true,
      },
      updatePolicy: { is_published: true },
    }),
  },
}
