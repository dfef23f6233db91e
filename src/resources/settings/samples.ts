import type { Seeded } from '../../../tests/support/samples.ts'

export const samples = ({ image }: Seeded) => [
  { route: 'GET /setting' },
  { route: 'PUT /setting', body: { name: 'Renamed store', time_zone: 'Africa/Tunis', logo_id: image.id } },
]
