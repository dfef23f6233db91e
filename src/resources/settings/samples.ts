export const samples = () => [
  { route: 'GET /setting' },
  { route: 'PUT /setting', body: { name: 'Renamed store', time_zone: 'Africa/Tunis' } },
]
