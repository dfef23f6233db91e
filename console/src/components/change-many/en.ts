import { plural } from '../../messages/plural.ts'

const wordsFor = (one: string, many: string) => ({
  act: (count: number) => plural('en', count, { one: `Change # ${one}`, other: `Change # ${many}` }),
  scope: `Which ${many}`,
  chosen: (count: string) => `Chosen: ${count}`,
  matching: (count: string) => `All that match the filters: ${count}`,
  first: (count: string) => `The first ${count} are shown.`,
  done: (count: number) => plural('en', count, { one: `# ${one} changed`, other: `# ${many} changed` }),
  undone: (count: number) => plural('en', count, { one: `# ${one} is as before`, other: `# ${many} are as before` }),
  notUndone: (count: number) =>
    plural('en', count, {
      one: `# ${one} could not be changed back`,
      other: `# ${many} could not be changed back`,
    }),
  failed: (count: number) =>
    plural('en', count, {
      one: `# ${one} was not changed and stays selected`,
      other: `# ${many} were not changed and stay selected`,
    }),
})

const en = {
  what: 'What to change',
  loading: (done: string, total: string) => `Loading ${done} of ${total}…`,
  preview: (changed: string, total: string) => `${changed} of ${total} will change.`,
  nothing: 'Nothing would change.',
  running: (done: string, total: string) => `${done} of ${total} done`,
  inBackground: 'It goes on if you close this page.',
  stop: 'Stop',
  stopped: 'Not done: stopped before it was reached.',
  undo: 'Undo',
  before: 'Before',
  after: 'After',
  order: wordsFor('order', 'orders'),
  product: wordsFor('product', 'products'),
  customer: wordsFor('customer', 'customers'),
  review: wordsFor('review', 'reviews'),
  bundle: wordsFor('bundle', 'bundles'),
  landing_page: wordsFor('landing page', 'landing pages'),
}
export type ChangeWords = typeof en
export default en
