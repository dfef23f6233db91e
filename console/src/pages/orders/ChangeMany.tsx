import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { ChangeDialog } from '../../components/change-many/ChangeDialog.tsx'
import { SelectField } from '../../components/Field.tsx'
import type { Matching } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useBulkWords } from './bulk-words.ts'
import type { Order } from './labels.ts'
import { useOrderWords } from './words.ts'

/** What a change of many orders looks at: whole orders of a store would be many megabytes. */
type Row = Pick<Order, 'id' | 'ref' | 'customer_name' | 'status' | 'is_cancelled' | 'is_archived'>

const rowOf = ({ id, ref, customer_name, status, is_cancelled, is_archived }: Order): Row => ({
  ...{ id, ref, customer_name, status, is_cancelled, is_archived },
})

/** What can be changed about many orders, and how it is taken back. To the others, the change has nothing to do. */
const CHANGES = {
  paid: {
    // An abandoned order that is paid would take stock: that is for one order at a time.
    changes: ({ status, is_cancelled }: Row) => status === 'pending' && !is_cancelled,
    line: { status: 'paid' },
    undo: { status: 'pending' },
  },
  archive: {
    changes: ({ is_archived }: Row) => !is_archived,
    line: { is_archived: true },
    undo: { is_archived: false },
  },
  unarchive: {
    changes: ({ is_archived }: Row) => is_archived,
    line: { is_archived: false },
    undo: { is_archived: true },
  },
} as const
export type OrderChange = keyof typeof CHANGES

interface ChangeManyProps {
  orders: readonly Order[]
  matching: Matching
  /** The first one is chosen to begin with. */
  offered?: readonly OrderChange[]
  /** The list that shows these orders, if it is not the one of orders. */
  list?: string
  /** Called with those that failed, which stay selected. */
  done: (failed: readonly Order[]) => void
  onClose: () => void
}

/** Changes the chosen orders, or all that match the filters. */
const ChangeMany = ({ orders, matching, done, onClose, ...props }: ChangeManyProps) => {
  const { offered = ['paid', 'archive', 'unarchive'], list } = props
  const labels = useOrderWords()
  const words = useBulkWords()
  const { client } = useStore()
  const [change, setChange] = useState(offered[0] ?? 'archive')
  const { changes, line, undo } = CHANGES[change]
  const texts = {
    paid: [labels.status.pending, labels.status.paid],
    archive: [words.inList, labels.archived],
    unarchive: [labels.archived, words.inList],
  } as const satisfies Record<OrderChange, readonly [string, string]>
  return (
    <ChangeDialog<Order, Row>
      resource="order"
      lists={list ? ['orders', list] : ['orders']}
      chosen={orders}
      matching={matching}
      readAll={client.orders.all}
      pick={rowOf}
      heading={labels.order}
      nameOf={({ ref, customer_name }) => (
        <>
          <Ltr>{ref}</Ltr> <bdi>{customer_name}</bdi>
        </>
      )}
      change={{
        line: (row) => (changes(row) ? { id: row.id, ...line } : undefined),
        undo: ({ id }) => ({ id, ...undo }),
        texts: () => texts[change],
      }}
      note={(isPartial) => change === 'paid' && isPartial && words.onlyUnpaid}
      fields={({ busy, begin }) => (
        <SelectField
          label={words.what}
          choices={offered.map((value) => ({ value, label: words.changes[value] }))}
          value={change}
          disabled={busy}
          onChange={({ target }) => {
            begin()
            setChange(target.value as OrderChange)
          }}
        />
      )}
      done={(failed) => done(orders.filter(({ id }) => failed.some((row) => row.id === id)))}
      onClose={onClose}
    />
  )
}

export default ChangeMany
