import { randomUUID } from 'node:crypto'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const seed = async ({ make }: SeedContext) => {
  const { domain } = await make('/domain', { host: `${randomUUID()}.example` })
  const { domain: spare } = await make('/domain', { host: `${randomUUID()}.example` })
  return { domain, spareDomain: spare }
}

export const samples = ({ spareDomain }: Seeded) => [
  { route: 'GET /domain' },
  { route: 'GET /domain/:id', params: { id: spareDomain.id } },
  { route: 'POST /domain', body: { host: `${randomUUID()}.example` } },
  { route: 'PUT /domain/:id', params: { id: spareDomain.id }, body: { host: `${randomUUID()}.example` } },
]

export const removals = ({ spareDomain }: Seeded) => [{ route: 'DELETE /domain/:id', params: { id: spareDomain.id } }]
