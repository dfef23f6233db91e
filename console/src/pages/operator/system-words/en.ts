import { plural } from '../../../messages/plural.ts'

const en = {
  service: 'Service',
  database: 'Database',
  queues: 'Queues',
  release: 'Version',
  node: 'Node.js',
  workers: 'HTTP processes',
  since: 'Running since',
  memory: 'Memory of the process that answered',
  latest: 'Latest migration',
  applied: 'Migrations applied',
  pending: 'Migrations pending',
  none: 'None',
  version: 'PostgreSQL',
  embedded: 'Embedded',
  external: 'External',
  size: 'Size of the database',
  connections: 'Connections',
  free: 'Free disk space',
  shards: 'Shards of orders',
  bulkJobs: 'Bulk jobs that wait or run',
  deliveries: 'Events that wait for a webhook',
  failing: 'Webhooks whose receiver fails',
  lifecycle: 'Messages to apps that wait',
  checks: 'Checks',
  checkAgain: 'Check again',
  noFaults: 'Everything is well. Checked:',
  faults: (count: number) =>
    plural('en', count, { one: '# thing to look at. Checked:', other: '# things to look at. Checked:' }),
  findings: { ok: 'Well', note: 'Note', fault: 'Fault' },
  repair: 'What doctor --repair would do',
  nothingToRepair: 'Nothing: the kept texts that were compared are as their rows say. It compares all with --all.',
  repairHelp: 'Rewrite these kept texts, of those that were compared. With --all it compares every one.',
}

export type SystemWords = typeof en
export default en
