import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { SelectField, TextField } from '../../components/Field.tsx'
import type { Matching } from '../../components/ListPage.tsx'
import styles from '../../components/ManyRows.module.css'
import { formatMoney } from '../../components/Money.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { type Failure, useBulkJob } from '../../components/useBulkJob.ts'
import { useMatching } from '../../components/useMatching.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { type BulkChange, bulkLine, bulkNumbers, undoLine } from './bulk.ts'
import type { Product } from './labels.ts'
import { useCategories } from './useCategories.ts'
import { parseNumber } from './variant-changes.ts'

const MAX_PREVIEW = 50

type Field = BulkChange['field']

interface Given {
  field: Field
  status: Product['status']
  category: string
  how: 'set' | 'percent' | 'amount' | 'add'
  value: string
}

/** What is asked for, once it can be done. */
const changeOf = (given: Given, categories: readonly { id: string; name: string }[]): BulkChange | undefined => {
  const { field, how } = given
  if (field === 'status') return { field, value: given.status }
  if (field === 'category') return { field, value: categories.find(({ id }) => id === given.category) ?? null }
  const value = given.value.trim() === '' ? '' : parseNumber(given.value)
  if (typeof value !== 'number') return undefined
  if (field === 'price') return how === 'add' || (how === 'set' && value < 0) ? undefined : { field, how: how, value }
  if (!Number.isInteger(value) || (how !== 'add' && value < 0)) return undefined
  return { field, how: how === 'add' ? 'add' : 'set', value }
}

const useTexts = () => {
  const { products: words } = useMessages()
  const { locale } = useWords()
  const { store } = useStore()
  const range = (numbers: readonly number[], write: (value: number) => string) =>
    [...new Set(numbers)].map(write).join(' – ')
  /** A row before and after. */
  return (product: Product, change: BulkChange): readonly [string, string] => {
    if (change.field === 'status') return [words.statuses[product.status], words.statuses[change.value]]
    if (change.field === 'category')
      return [product.category?.name ?? words.noCategory, change.value?.name ?? words.noCategory]
    const { before, after } = bulkNumbers(product, change)
    const write = (value: number) =>
      change.field === 'price' ? formatMoney(locale, value, store.currency) : numberFormat(locale).format(value)
    return [range(before, write), range(after, write)]
  }
}

const ChangeFields = ({
  given,
  set,
  categories,
}: {
  given: Given
  set: (changes: Partial<Given>) => void
  categories: readonly { id: string; name: string }[]
}) => {
  const { products: words } = useMessages()
  const { store } = useStore()
  const choices = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
  const unit = given.field === 'price' ? ` (${given.how === 'percent' ? '%' : store.currency})` : ''
  return (
    <div className={styles.fields}>
      <SelectField
        label={words.bulkWhat}
        choices={choices(words.bulkFields)}
        value={given.field}
        onChange={({ target }) => set({ field: target.value as Field, how: 'set', value: '' })}
      />
      {given.field === 'status' && (
        <SelectField
          label={words.bulkValue}
          choices={choices(words.statuses)}
          value={given.status}
          onChange={({ target }) => set({ status: target.value as Product['status'] })}
        />
      )}
      {given.field === 'category' && (
        <SelectField
          label={words.bulkValue}
          choices={[
            { value: '', label: words.noCategory },
            ...categories.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={given.category}
          onChange={({ target }) => set({ category: target.value })}
        />
      )}
      {(given.field === 'price' || given.field === 'stock') && (
        <>
          <SelectField
            label={words.bulkHow}
            choices={choices(given.field === 'price' ? words.bulkPrice : words.bulkStock)}
            value={given.how}
            onChange={({ target }) => set({ how: target.value as Given['how'] })}
          />
          <TextField
            label={`${words.bulkValue}${unit}`}
            inputMode="decimal"
            dir="ltr"
            value={given.value}
            onChange={({ target }) => set({ value: target.value })}
          />
        </>
      )}
    </div>
  )
}

const Preview = ({ products, change }: { products: readonly Product[]; change: BulkChange }) => {
  const { products: words } = useMessages()
  const texts = useTexts()
  return (
    <div className={styles.box}>
      <table className={styles.table}>
        <caption className="hidden">{words.bulkPreview}</caption>
        <thead>
          <tr>
            <th scope="col">{words.product}</th>
            <th scope="col">{words.before}</th>
            <th scope="col">{words.after}</th>
          </tr>
        </thead>
        <tbody>
          {products.slice(0, MAX_PREVIEW).map((product) => {
            const [before, after] = texts(product, change)
            return (
              <tr key={product.id}>
                <th scope="row">
                  <bdi>{product.title}</bdi>
                </th>
                <td>
                  <bdi>{before}</bdi>
                </td>
                <td>
                  <ArrowRight className="pointing" aria-hidden /> <bdi>{after}</bdi>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const Failures = ({ failed }: { failed: readonly Failure<Product>[] }) => {
  const { products: words } = useMessages()
  return (
    <div role="alert" className={styles.failures}>
      <strong>{words.bulkFailed(failed.length)}</strong>
      <ul>
        {failed.slice(0, MAX_PREVIEW).map(({ row: product, problem }) => (
          <li key={product.id}>
            <bdi>{product.title}</bdi>: {problem}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Changes many products at once: first what will change, then progress, then what failed. */
const BulkDialog = ({
  products,
  matching,
  done,
  onClose,
}: {
  products: readonly Product[]
  matching: Matching
  /** Called with those that failed, which stay selected. */
  done: (failed: readonly Product[]) => void
  onClose: () => void
}) => {
  const messages = useMessages()
  const { products: words, controls } = messages
  const { locale } = useWords()
  const { client } = useStore()
  const toast = useToast()
  const categories = useCategories()
  const job = useBulkJob<Product>('product', 'products')
  const [given, setGiven] = useState<Given>({ field: 'status', status: 'active', category: '', how: 'set', value: '' })
  const [all, setAll] = useState(false)
  const [failed, setFailed] = useState<readonly Failure<Product>[]>([])
  const [error, setError] = useState<unknown>()
  const whole = useMatching(matching, all, client.products.all, (product: Product) => product)
  const number = (value: number) => numberFormat(locale).format(value)
  const change = changeOf(given, categories)
  const scope = all ? whole.found : products
  const affected = change ? scope.filter((product) => bulkLine(product, change) !== undefined) : []
  const belowZero =
    change?.field === 'price' &&
    affected.some((product) => bulkNumbers(product, change).after.some((after) => after < 0))
  const ready = change && affected.length > 0 && !belowZero && (!all || whole.complete)
  const busy = job.progress !== undefined

  const takeBack = async (products: readonly Product[], change: BulkChange) => {
    try {
      const { changed, failed } = await job.run(products, (product) => undoLine(product, change))
      if (changed > 0) toast(words.bulkUndone(changed))
      if (failed.length > 0) toast(words.bulkNotUndone(failed.length), { bad: true })
    } catch (error) {
      toast(describeError(error, messages).message, { bad: true })
    }
  }
  const run = async () => {
    if (!change || !ready || busy) return
    setError(undefined)
    setFailed([])
    try {
      const { changed, failed } = await job.run(affected, (product) => bulkLine(product, change))
      done(failed.map(({ row }) => row))
      const failures = new Set(failed.map(({ row }) => row))
      const undo = () =>
        takeBack(
          affected.filter((product) => !failures.has(product)),
          change,
        )
      if (changed > 0) toast(words.bulkDone(changed), { action: { label: words.undo, run: undo } })
      if (failed.length === 0) return onClose()
      setFailed(failed)
    } catch (error) {
      setError(error)
    }
  }
  return (
    <Dialog
      wide
      title={words.bulkTitle(all ? matching.total : products.length)}
      onClose={onClose}
      onSubmit={run}
      footer={
        <>
          {busy ? (
            <Button onClick={job.stop}>{words.stop}</Button>
          ) : (
            <Button onClick={onClose}>{controls.close}</Button>
          )}
          <Button kind="primary" type="submit" busy={busy} disabled={!ready}>
            {words.bulkAct(affected.length)}
          </Button>
        </>
      }
    >
      <Problem error={error ?? whole.error} />
      {failed.length > 0 && <Failures failed={failed} />}
      {matching.total > products.length && (
        <SelectField
          label={words.bulkScope}
          choices={[
            { value: '', label: words.bulkChosen(number(products.length)) },
            { value: 'all', label: words.bulkMatching(number(matching.total)) },
          ]}
          value={all ? 'all' : ''}
          disabled={busy}
          onChange={({ target }) => setAll(target.value === 'all')}
        />
      )}
      <ChangeFields
        given={given}
        categories={categories}
        set={(changes) => {
          setFailed([])
          setGiven((given) => ({ ...given, ...changes }))
        }}
      />
      {busy ? (
        <div className={styles.progress} role="status">
          <progress value={job.progress?.done ?? 0} max={job.progress?.total || 1} aria-label={words.bulkPreview} />
          {words.bulkRunning(number(job.progress?.done ?? 0), number(job.progress?.total ?? 0))}
        </div>
      ) : (
        <>
          <p role="status">
            {all && !whole.complete
              ? words.bulkLoading(number(whole.found.length), number(matching.total))
              : belowZero
                ? words.bulkBelowZero
                : change &&
                  (affected.length === 0
                    ? words.bulkNothing
                    : words.bulkPreviewOf(number(affected.length), number(scope.length)))}{' '}
            {affected.length > MAX_PREVIEW && words.bulkFirst(number(MAX_PREVIEW))}
          </p>
          {change && affected.length > 0 && <Preview products={affected} change={change} />}
        </>
      )}
    </Dialog>
  )
}

export default BulkDialog
