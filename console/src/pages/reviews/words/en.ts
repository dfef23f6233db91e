import { plural } from '../../../messages/plural.ts'

const en = {
  review: 'Review',
  views: { pending: 'Waiting', published: 'Published', hidden: 'Hidden', all: 'All' },
  status: { pending: 'Waiting', published: 'Published', hidden: 'Hidden' },
  publish: 'Publish',
  hide: 'Hide',
  published: 'Review published',
  hiddenDone: 'Review hidden',
  restored: 'Undone',
  undo: 'Undo',
  delete: 'Delete review',
  deleted: 'Review deleted',
  rating: 'Rating',
  atLeast: (stars: number) => plural('en', stars, { one: '# star or more', other: '# stars or more' }),
  stars: (stars: number) => plural('en', stars, { one: '# star', other: '# stars' }),
  product: 'Product',
  more: 'Show more',
  shown: (shown: string, total: string) => `${shown} of ${total}`,
  keys: 'Keys: j and k move, p publishes, h hides, d deletes.',
  emptyPending: 'No review is waiting',
  emptyPendingHelp: 'New reviews appear here before shoppers see them.',
  empty: 'No reviews here',
  emptyHelp: 'Reviews come from the shop or from apps. Look in another view, or remove a filter.',
  picture: (name: string) => `Picture by ${name}`,
}

export type ReviewWords = typeof en
export default en
