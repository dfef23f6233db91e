import type { RecordedRows, Resource } from '../../core/http/resource.ts'
import { encodeCursor, eventId } from './feed-cursor.ts'
import { type EventServices, eventRoutes } from './routes.ts'

const FEED = { feed: '5a8442360082', position: 1284, n: 2961 }

const APP = { id: '0192f0c1-4b20-7d11-8a0e-3c5b9e7d4f12', name: 'Newsletter' }

const exampleEvent = ({ customer }: RecordedRows) => ({
  id: eventId(FEED.feed, FEED.position),
  type: 'customer.updated',
  timestamp: '2026-11-16T09:30:12.482Z',
  position: FEED.position,
  store_id: '0192f0c1-4b1e-7c3a-9d52-6f0d8f1b2a77',
  resource: { kind: 'customer', id: customer?.id },
  changed: ['city', 'subscription_status'],
  previous: { subscription_status: 'not_subscribed' },
  app: APP,
  by: { app: APP, account: null, via: null },
  as_of: '2026-11-16T09:30:13.007Z',
  data: { id: customer?.id, email: customer?.email, subscription_status: 'subscribed' },
})

export const events: Resource<EventServices> = {
  heading: 'Events',
  description: 'Learn of changes as they happen: the feed of all changes, live, and a snapshot to start from.',
  routes: eventRoutes,
  examples: {
    replies: (rows) => ({
      listEvents: { data: { events: [exampleEvent(rows)], next_cursor: encodeCursor(FEED), more: false } },
      getEvent: { data: { event: exampleEvent(rows) } },
    }),
    schemas: (rows) => ({ Event: exampleEvent(rows) }),
    ids: () => ({ getEvent: eventId(FEED.feed, FEED.position) }),
  },
}
