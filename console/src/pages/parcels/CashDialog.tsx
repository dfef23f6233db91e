import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { MAX_CASH_PARCELS } from '../../../../src/resources/parcels/states.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { useMatching } from '../../components/change-many/useMatching.ts'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { SelectField, TextField } from '../../components/Field.tsx'
import type { Matching } from '../../components/ListPage.tsx'
import { Money } from '../../components/Money.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { CASH_ACTS, type CashAct, type CashRow, type Parcel } from './cash-acts.ts'
import { useParcelWords } from './words.ts'

const rowOf = ({ id, currency, cash_owed, cash_received }: Parcel): CashRow => ({
  ...{ id, currency, cash_owed, cash_received },
})

/** What it is in all, in each currency. */
const sumsOf = (rows: readonly CashRow[], amount: (row: CashRow) => number) => {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(row.currency, (sums.get(row.currency) ?? 0) + amount(row))
  return [...sums]
}

const partsOf = (ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / MAX_CASH_PARCELS) }, (_, part) =>
    ids.slice(part * MAX_CASH_PARCELS, (part + 1) * MAX_CASH_PARCELS),
  )

/** Sends as many parcels at a time as the API takes. Those that are done are not sent again. */
const useCash = (reference: string) => {
  const words = useParcelWords()
  const messages = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const receive = useCreate((body: { parcel_ids: string[]; reference: string | null }, options) =>
    client.parcels.updateParcelCash(body, options),
  )
  const takeBack = useCreate((parcel_ids: string[], options) =>
    client.parcels.updateParcelCash({ parcel_ids, received: false }, options),
  )
  const renew = () =>
    Promise.all(['parcels', 'orders', 'order'].map((list) => queries.invalidateQueries({ queryKey: [store.id, list] })))
  const send = async (ids: readonly string[], part: (ids: string[]) => Promise<unknown>, done: Set<string>) => {
    for (const next of partsOf(ids.filter((id) => !done.has(id)))) {
      await part(next)
      for (const id of next) done.add(id)
    }
  }
  const undo = async (ids: readonly string[], done = new Set<string>()): Promise<void> => {
    try {
      await send(ids, takeBack, done)
      toast(words.reversed)
    } catch (error) {
      const action = { label: messages.controls.retry, run: () => undo(ids, done) }
      toast(describeError(error, messages).message, { bad: true, action })
    } finally {
      await renew()
    }
  }
  return async (act: CashAct, ids: readonly string[], done: Set<string>) => {
    try {
      const sent = { reference: reference.trim() || null }
      if (act === 'receive') await send(ids, (parcel_ids) => receive({ parcel_ids, ...sent }), done)
      else await send(ids, takeBack, done)
    } finally {
      if (done.size > 0) {
        const action = { label: words.undo, run: () => undo([...done]) }
        if (act === 'receive') toast(words.receivedCount(done.size), { action })
        else toast(words.reversed)
        await renew()
      }
    }
  }
}

/** Says that the carrier has paid for the chosen parcels, or for all that match the filters, or takes that back. */
const CashDialog = ({
  act,
  chosen,
  matching,
  onClose,
}: {
  act: CashAct
  chosen: readonly Parcel[]
  matching: Matching
  onClose: (done: boolean) => void
}) => {
  const words = useParcelWords()
  const { controls } = useMessages()
  const { locale } = useWords()
  const { client } = useStore()
  const [reference, setReference] = useState('')
  const [all, setAll] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const done = useRef(new Set<string>())
  const cash = useCash(reference)
  const { can, filter, amount } = CASH_ACTS[act]
  const wanted = { ...matching, query: { ...matching.query, cash: filter } }
  const whole = useMatching(wanted, all, client.parcels.all, rowOf)
  const number = (value: number) => numberFormat(locale).format(value)
  const rows = (all ? whole.found : chosen.map(rowOf)).filter(can)
  const isReady = rows.length > 0 && (!all || whole.complete)
  const canBeAll = matching.total > chosen.length && (matching.query.cash ?? filter) === filter
  const run = async () => {
    if (!isReady || busy) return
    setBusy(true)
    setError(undefined)
    try {
      await cash(
        act,
        rows.map(({ id }) => id),
        done.current,
      )
      onClose(true)
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={act === 'receive' ? words.receiveAsk(rows.length) : words.reverseAsk(rows.length)}
      onClose={() => onClose(done.current.size > 0)}
      onSubmit={run}
      footer={
        <>
          <Button onClick={() => onClose(done.current.size > 0)}>{controls.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!isReady}>
            {act === 'receive' ? words.receive : words.reverse}
          </Button>
        </>
      }
    >
      <p>{act === 'receive' ? words.receiveHelp : words.reverseHelp}</p>
      {canBeAll && (
        <SelectField
          label={words.scope}
          choices={[
            { value: '', label: words.chosen(number(chosen.filter(can).length)) },
            { value: 'all', label: words.matching },
          ]}
          value={all ? 'all' : ''}
          disabled={busy}
          onChange={({ target }) => setAll(target.value === 'all')}
        />
      )}
      <p role="status">
        {all && !whole.complete ? (
          words.reading(number(whole.found.length))
        ) : (
          <>
            {words.total}:{' '}
            {sumsOf(rows, amount).map(([currency, sum]) => (
              <strong key={currency}>
                <Money amount={sum} currency={currency} />{' '}
              </strong>
            ))}
          </>
        )}
      </p>
      {act === 'receive' && (
        <TextField
          label={words.reference}
          value={reference}
          maxLength={255}
          disabled={busy}
          onChange={({ target }) => setReference(target.value)}
        />
      )}
      <Problem error={error ?? whole.error} />
    </Dialog>
  )
}

export default CashDialog
