import { plural } from '../../../messages/messages.ts'

const en = {
  title: (count: number) => plural('en', count, { one: 'Change # order', other: 'Change # orders' }),
  what: 'What to change',
  changes: { paid: 'Mark as paid', archive: 'Archive', unarchive: 'Unarchive' },
  onlyUnpaid: 'Cancelled and abandoned orders stay as they are.',
  scope: 'Which orders',
  chosen: (count: string) => `Chosen: ${count}`,
  matching: (count: string) => `All that match the filters: ${count}`,
  loading: (done: string, total: string) => `Loading ${done} of ${total}…`,
  preview: (changed: string, total: string) => `${changed} of ${total} will change.`,
  first: (count: string) => `The first ${count} are shown.`,
  nothing: 'Nothing would change.',
  act: (count: number) => plural('en', count, { one: 'Change # order', other: 'Change # orders' }),
  running: (done: string, total: string) => `${done} of ${total} done`,
  inBackground: 'It goes on if you close this page.',
  stop: 'Stop',
  done: (count: number) => plural('en', count, { one: '# order changed', other: '# orders changed' }),
  undone: (count: number) => plural('en', count, { one: '# order is as before', other: '# orders are as before' }),
  failed: (count: number) =>
    plural('en', count, { one: '# order was not changed', other: '# orders were not changed' }),
  before: 'Before',
  after: 'After',
  inList: 'In the list',
}
export type BulkWords = typeof en
export default en
