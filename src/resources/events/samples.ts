import type { Seeded } from '../../../tests/support/samples.ts'

export const samples = ({ customer }: Seeded) => [
  { route: 'GET /event', querystring: { types: 'customer.*', resource_id: customer.id, page_size: 5 } },
  { route: 'GET /snapshot', querystring: { types: 'category' } },
]
