// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are parts of source files.
import type { Fault } from '../history/faults.ts'

/** A small edit of a source file. Planting fails when the text is gone, so that no bug is silently not planted. */
export interface Edit {
  file: string
  find: string
  replace: string
}

export interface Bug {
  name: string
  /** What is taken away. */
  what: string
  edits: Edit[]
  /** The names under which the checker must report it: one of them is enough. */
  found: string[]
  faults?: Fault[]
}

export const BUGS: Bug[] = [
  {
    name: 'stock-lost-update',
    what: 'POST /stock decides on the row as the statement saw it, not on the row that it locked',
    edits: [
      {
        file: 'resources/stock/queries.ts',
        find: 'j.problem is null and j.before <> j.after',
        replace: 'j.problem is null and v.quantity <> j.after',
      },
    ],
    found: ['stock was lost or doubled'],
  },
  {
    name: 'number-quadratic',
    what: 'a long number is searched for zeros with a regular expression',
    edits: [
      {
        file: 'core/input/parse-json.ts',
        find: 'const MAX_NUMBER_LENGTH = 100',
        replace: 'const MAX_NUMBER_LENGTH = 1e9',
      },
      {
        file: 'core/input/parse-json.ts',
        find: '  const { first, last } = significantPart(token)\n  if (first < 0) return true',
        replace:
          "  const { first, last } = significantPart(token)\n  if (token.replace(/^0+|0+$/g, '') === '') return true",
      },
    ],
    found: ['a short request stops the server'],
  },
  {
    name: 'currency-race',
    what: 'an order reads the currency of its store without a lock',
    edits: [
      {
        file: 'resources/orders/place-order.ts',
        find: 'from ${t.store} s where s.id = $1 for key share of s`',
        replace: 'from ${t.store} s where s.id = $1`',
      },
    ],
    found: ['orders in another currency than the store'],
  },
  {
    name: 'changed-since',
    what: 'a list of changes is complete until now, whatever is still being written',
    edits: [
      {
        file: 'core/reading/complete-until.ts',
        find: 'select changes_complete_until(f.store_id) as until',
        replace: 'select clock_timestamp() as until',
      },
    ],
    found: ['a poller missed a change'],
  },
  {
    name: 'order-lock',
    what: 'variants are not locked while an order is placed',
    edits: [
      {
        file: 'resources/orders/stock.ts',
        find: '  order by v.id for no key update of v`',
        replace: '  order by v.id`',
      },
      { file: 'resources/orders/write-order.ts', find: ' and ${mayTake(bind(store), units)}', replace: '' },
      {
        file: 'resources/orders/stock.ts',
        find: ' and (w.units > 0 or v.quantity >= -w.units or exists (',
        replace: ' and (true or exists (',
      },
    ],
    found: ['stock below zero', 'stock was lost or doubled'],
  },
  {
    name: 'order-update-lock',
    what: 'an order is not locked while it is changed',
    edits: [{ file: 'resources/orders/update-order.ts', find: '    .forNoKeyUpdate()\n', replace: '' }],
    found: ['stock was lost or doubled', 'a reply differs from the model', 'an event tells another previous state'],
  },
  {
    name: 'idempotency-repeated',
    what: 'a known Idempotency-Key runs the write again',
    edits: [
      { file: 'core/http/idempotency.ts', find: "now() - interval '24 hours'", replace: "now() + interval '24 hours'" },
    ],
    found: ['a write happened twice', 'a retry got another reply'],
  },
  {
    name: 'idempotency-other-request',
    what: 'a key that was used for another request gets the stored reply',
    edits: [
      {
        file: 'core/http/idempotency.ts',
        find: 'if (!stored.request_hash.equals(hash))',
        replace: 'if (!stored.request_hash.equals(stored.request_hash))',
      },
    ],
    found: ['a key was taken for another request'],
  },
  {
    name: 'idempotency-transaction',
    what: 'the key is claimed outside the transaction of the write',
    edits: [
      {
        file: 'core/http/idempotency.ts',
        find: 'const stored = await claim(db, claimed, hash)',
        replace: 'const stored = await transact(outside, (own) => claim(own, claimed, hash))',
      },
      {
        file: 'core/http/idempotency.ts',
        find: '  const hash = fingerprint(reply.request)\n',
        replace: '  const hash = fingerprint(reply.request)\n  const outside = db\n',
      },
    ],
    found: ['an acknowledged write is missing', 'a retry got another reply', 'server error'],
    faults: ['cut-commit', 'kill-node'],
  },
  {
    name: 'if-match',
    what: 'If-Match is not compared',
    edits: [
      {
        file: 'core/http/versions.ts',
        find: '!matches(ifMatch, versionOf(current))',
        replace: "matches(ifMatch, 'none')",
      },
    ],
    found: ['If-Match was not compared'],
  },
  {
    name: 'feed-lock',
    what: 'two readers number changes at once',
    edits: [
      {
        file: 'core/storage/schema/events.sql',
        find: 'select * into stand from feed f where f.store_id = store for no key update;',
        replace: 'select * into stand from feed f where f.store_id = store;',
      },
    ],
    found: [
      'the feed cannot be read',
      'the feed has a gap',
      'two readers saw different feeds',
      'server error',
      'an acknowledged write is missing',
    ],
  },
  {
    name: 'store-condition',
    what: 'a single resource is read without its store',
    edits: [
      {
        file: 'core/reading/texts.ts',
        find: '${source} where ${storeColumn} = ${store} and ${condition}`',
        replace: '${source} where (${storeColumn} = ${store} or true) and ${condition}`',
      },
      {
        file: 'core/reading/texts.ts',
        find: '${fromNamed(source.table)} where store_id = ${store} and ${condition}`',
        replace: '${fromNamed(source.table)} where (store_id = ${store} or true) and ${condition}`',
      },
    ],
    found: ['another store was served'],
  },
  {
    name: 'remembered-reply',
    what: 'a remembered reply is sent although something has happened',
    edits: [
      {
        file: 'core/reading/remembered-replies.ts',
        find: 'if (last?.state !== state || performance.now()',
        replace: 'if (!last || performance.now()',
      },
    ],
    found: ['a stale read', 'a total differs from the rows', 'a read shows no state of the feed'],
  },
  {
    name: 'refund-trigger',
    what: 'changes of refunds are not captured',
    edits: [
      {
        file: 'core/storage/schema/parcels.sql',
        find: "select capture_changes('refund', 'order', part => 'refunds', whole => 'order_id', states => '{status,amount}',",
        replace:
          "select capture_changes('refund', 'nothing', part => 'refunds', whole => 'order_id', states => '{status,amount}',",
      },
    ],
    found: ['an acknowledged write is missing', 'an event that no write explains'],
  },
  {
    name: 'webhook-lanes',
    what: 'events of a resource do not wait for each other',
    edits: [
      {
        file: 'resources/webhooks/lanes.ts',
        find: '    if (queue) queue.push(item)\n',
        replace: '    if (queue) this.#ready.push(item)\n',
      },
    ],
    found: [
      'two events of a resource were sent at once',
      'webhooks of a resource came out of order',
      'a webhook missed events',
    ],
  },
  {
    name: 'webhook-lease',
    what: 'two nodes deliver for one webhook: nobody looks at the lease of the other',
    edits: [
      {
        file: 'resources/webhooks/leases.ts',
        find: "w.state = 'on'\n  and (w.leased_until is null or w.leased_until < statement_timestamp()) and w.app_id",
        replace: "w.state = 'on' and w.app_id",
      },
      {
        file: 'resources/webhooks/leases.ts',
        find: 'and (w.leased_until is null or w.leased_until < statement_timestamp()) and w.app_id <> all($4',
        replace: 'and w.app_id <> all($4',
      },
      {
        file: 'resources/webhooks/leases.ts',
        find: 'where w.store_id = $1 and w.id = $2 and w.lease = $3`\n\nconst TAKE',
        replace: 'where w.store_id = $1 and w.id = $2 and $3::uuid is not null`\n\nconst TAKE',
      },
    ],
    found: ['two events of a resource were sent at once', 'webhooks of a resource came out of order'],
  },
  {
    name: 'webhook-signature',
    what: 'the time is not signed',
    edits: [
      {
        file: 'resources/webhooks/signing.ts',
        find: '.update(`${eventId}.${timestamp}.`)',
        replace: '.update(`${eventId}.`)',
      },
    ],
    found: ['a webhook was signed wrongly'],
  },
  {
    name: 'category-unique',
    what: 'names of categories are not unique',
    edits: [{ file: 'core/storage/schema/catalogue.sql', find: '  unique (store_id, name_key),\n', replace: '' }],
    found: ['two categories have one name'],
  },
  {
    name: 'dry-run',
    what: 'a dry run is committed',
    edits: [
      { file: 'core/http/idempotency.ts', find: 'await transactDry(db, write)', replace: 'await transact(db, write)' },
    ],
    found: ['a dry run changed something', 'an event that no write explains'],
  },
  {
    name: 'delete-keeps-stock',
    what: 'a deleted order keeps its units',
    edits: [
      {
        file: 'resources/orders/delete-order.ts',
        find: 'if (holdsStock(order)) await releaseStock(db, store, id)',
        replace: 'if (holdsStock(order) && !id) await releaseStock(db, store, id)',
      },
    ],
    found: ['stock was lost or doubled'],
  },
  {
    name: 'reserve-check',
    what: 'an order that is active again takes units that are not there',
    edits: [
      { file: 'resources/orders/stock.ts', find: '  checkStock(orderedUnits, variants, short, String)\n', replace: '' },
      {
        file: 'resources/orders/stock.ts',
        find: ' and (w.units > 0 or v.quantity >= -w.units or exists (',
        replace: ' and (true or exists (',
      },
    ],
    found: ['stock below zero'],
  },
  {
    name: 'refund-limit',
    what: 'more can be refunded than was paid',
    edits: [
      {
        file: 'resources/orders/refund-order.ts',
        find: 'if (sums.beyond_left)',
        replace: 'if (sums.beyond_left && sums.is_nothing)',
      },
    ],
    found: ['more was refunded than was paid'],
  },
  {
    name: 'total-fee',
    what: 'the fee is not part of the total',
    edits: [
      {
        file: 'resources/orders/rules.ts',
        find: 'thousandths(shipping_rate) + thousandths(fee) + tip',
        replace: 'thousandths(shipping_rate) + thousandths(fee) * 0n + tip',
      },
    ],
    found: ['money does not add up'],
  },
  {
    name: 'history-entry',
    what: 'changes of status are not recorded in the history of an order',
    edits: [
      {
        file: 'resources/orders/update-order.ts',
        find: '  await recordStates(db, store, app, was, is)\n',
        replace: '',
      },
    ],
    found: ['a reply differs from the model'],
  },
  {
    name: 'access-notify',
    what: 'nodes are not told that an installation was removed',
    edits: [
      {
        file: 'core/storage/schema/apps.sql',
        find: 'after update of permissions, store_id, app_id or delete on installation',
        replace: 'after update of permissions, store_id, app_id on installation',
      },
    ],
    found: ['a removed app was served'],
  },
]
