import { useState } from 'react'
import { parseNumber } from '../../../../src/core/input/parse-number.ts'
import { useStore } from '../../api/store.tsx'
import { ChangeDialog } from '../../components/change-many/ChangeDialog.tsx'
import styles from '../../components/change-many/ManyRows.module.css'
import { SelectField, TextField } from '../../components/Field.tsx'
import type { Matching } from '../../components/ListPage.tsx'
import { formatMoney } from '../../components/Money.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { type BulkChange, bulkLine, bulkNumbers, undoLine } from './bulk.ts'
import type { Product } from './labels.ts'
import { useCategories } from './useCategories.ts'

import { useProductWords } from './words.ts'

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
  const words = useProductWords()
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
  busy,
  categories,
}: {
  given: Given
  busy: boolean
  set: (changes: Partial<Given>) => void
  categories: readonly { id: string; name: string }[]
}) => {
  const words = useProductWords()
  const { store } = useStore()
  const choices = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
  const unit = given.field === 'price' ? ` (${given.how === 'percent' ? '%' : store.currency})` : ''
  return (
    <div className={styles.fields}>
      <SelectField
        label={words.bulkWhat}
        choices={choices(words.bulkFields)}
        value={given.field}
        disabled={busy}
        onChange={({ target }) => set({ field: target.value as Field, how: 'set', value: '' })}
      />
      {given.field === 'status' && (
        <SelectField
          label={words.bulkValue}
          choices={choices(words.statuses)}
          value={given.status}
          disabled={busy}
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
          disabled={busy}
          onChange={({ target }) => set({ category: target.value })}
        />
      )}
      {(given.field === 'price' || given.field === 'stock') && (
        <>
          <SelectField
            label={words.bulkHow}
            choices={choices(given.field === 'price' ? words.bulkPrice : words.bulkStock)}
            value={given.how}
            disabled={busy}
            onChange={({ target }) => set({ how: target.value as Given['how'] })}
          />
          <TextField
            label={`${words.bulkValue}${unit}`}
            inputMode="decimal"
            dir="ltr"
            value={given.value}
            disabled={busy}
            onChange={({ target }) => set({ value: target.value })}
          />
        </>
      )}
    </div>
  )
}

const isBelowZero = (change: BulkChange | undefined, products: readonly Product[]) =>
  change?.field === 'price' && products.some((product) => bulkNumbers(product, change).after.some((after) => after < 0))

const same = (product: Product) => product

/** Changes the chosen products, or all that match the filters. */
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
  const words = useProductWords()
  const { client } = useStore()
  const categories = useCategories()
  const texts = useTexts()
  const [given, setGiven] = useState<Given>({ field: 'status', status: 'active', category: '', how: 'set', value: '' })
  const change = changeOf(given, categories)
  return (
    <ChangeDialog<Product, Product>
      resource="product"
      lists={['products']}
      chosen={products}
      matching={matching}
      readAll={client.products.all}
      pick={same}
      heading={words.product}
      nameOf={({ title }) => <bdi>{title}</bdi>}
      change={
        change && {
          line: (product) => bulkLine(product, change),
          undo: (product) => undoLine(product, change),
          texts: (product) => texts(product, change),
        }
      }
      problemWith={(affected) => (isBelowZero(change, affected) ? words.bulkBelowZero : undefined)}
      fields={({ busy, begin }) => (
        <ChangeFields
          given={given}
          busy={busy}
          categories={categories}
          set={(changes) => {
            begin()
            setGiven((given) => ({ ...given, ...changes }))
          }}
        />
      )}
      done={done}
      onClose={onClose}
    />
  )
}

export default BulkDialog
