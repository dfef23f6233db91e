import { plural } from '../../messages/messages.ts'

const en = {
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
  order: {
    act: (count: number) => plural('en', count, { one: 'Change # order', other: 'Change # orders' }),
    scope: 'Which orders',
    chosen: (count: string) => `Chosen: ${count}`,
    matching: (count: string) => `All that match the filters: ${count}`,
    first: (count: string) => `The first ${count} are shown.`,
    done: (count: number) => plural('en', count, { one: '# order changed', other: '# orders changed' }),
    undone: (count: number) => plural('en', count, { one: '# order is as before', other: '# orders are as before' }),
    notUndone: (count: number) =>
      plural('en', count, { one: '# order could not be changed back', other: '# orders could not be changed back' }),
    failed: (count: number) =>
      plural('en', count, {
        one: '# order was not changed and stays selected',
        other: '# orders were not changed and stay selected',
      }),
  },
  product: {
    act: (count: number) => plural('en', count, { one: 'Change # product', other: 'Change # products' }),
    scope: 'Which products',
    chosen: (count: string) => `Chosen: ${count}`,
    matching: (count: string) => `All that match the filters: ${count}`,
    first: (count: string) => `The first ${count} are shown.`,
    done: (count: number) => plural('en', count, { one: '# product changed', other: '# products changed' }),
    undone: (count: number) =>
      plural('en', count, { one: '# product is as it was', other: '# products are as they were' }),
    notUndone: (count: number) =>
      plural('en', count, {
        one: '# product could not be changed back',
        other: '# products could not be changed back',
      }),
    failed: (count: number) =>
      plural('en', count, {
        one: '# product was not changed and stays selected',
        other: '# products were not changed and stay selected',
      }),
  },
}
export type ChangeWords = typeof en
export default en
