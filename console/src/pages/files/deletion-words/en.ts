import { plural } from '../../../messages/plural.ts'

const en = {
  title: 'Delete files that nothing uses',
  act: (count: number) => plural('en', count, { one: 'Delete # file', other: 'Delete # files' }),
  scope: 'Which files',
  chosen: (count: string) => `Chosen: ${count}`,
  matching: (count: string) => `All that match the filters: ${count}`,
  reading: (count: string) => `Found so far: ${count}…`,
  checking: 'Looking where they are used…',
  summary: (count: string, total: string, size: string) => `${count} of ${total} will be deleted, ${size} in all.`,
  kept: (count: number) => plural('en', count, { one: '# is in use and stays.', other: '# are in use and stay.' }),
  none: 'Nothing would be deleted.',
  atMost: (count: string) => `${count} are deleted at a time: then choose again.`,
  first: (count: string) => `The first ${count} of them are shown.`,
  what: 'What happens',
  goes: 'Is deleted',
  stays: 'Stays',
  gone: 'Is not there any more',
  more: 'and more',
  inUse: 'It is used by now.',
}
export type DeletionWords = typeof en
export default en
