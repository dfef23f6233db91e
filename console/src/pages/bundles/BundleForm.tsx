import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { parseNumber } from '../../../../src/core/input/parse-number.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { describeError } from '../../components/describe-error.ts'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { formatMoney } from '../../components/Money.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { type Chosen, chosenOf, ProductPicker } from '../landing-pages/ProductPicker.tsx'
import { type Product, pricesOf } from '../products/labels.ts'
import styles from './Bundles.module.css'
import { useBundleWords } from './words.ts'

export type Bundle = Awaited<ReturnType<Client['bundles']['get']>>

/** As typed. */
interface Option {
  id?: string
  name: string
  quantity: string
  price: string
}

interface Values {
  product_id: string
  name: string
  status: string
  options: readonly Option[]
}

const MAX_OPTIONS = 20
const NEW: Option = { name: '', quantity: '2', price: '' }

const valuesOf = (bundle: Bundle | undefined): Values => ({
  product_id: bundle?.product_id ?? '',
  name: bundle?.name ?? '',
  status: bundle?.status ?? 'active',
  options: bundle?.options.map(({ id, name, quantity, price }) => ({
    id,
    name,
    quantity: String(quantity),
    price: String(price),
  })) ?? [NEW],
})

/** The API says what is wrong with a text that is no number. */
const numeric = (text: string) => parseNumber(text.trim()) as number

const bodyOf = ({ product_id, name, status, options }: Values) => ({
  product_id,
  name,
  status: status as Bundle['status'],
  options: options.map(({ id, ...option }) => ({
    ...(id !== undefined && { id }),
    name: option.name,
    quantity: numeric(option.quantity),
    price: numeric(option.price),
  })),
})

const useProduct = (id: string) => {
  const { store, client } = useStore()
  return useQuery({
    queryKey: [store.id, 'products', 'one', id],
    queryFn: ({ signal }) => client.products.get(id, { signal }),
    enabled: id !== '',
  }).data
}

/** What a unit costs in the offer, and how much that is below its price. */
const usePreview = (product: Product | undefined) => {
  const words = useBundleWords()
  const { locale } = useWords()
  const { store } = useStore()
  const money = (value: number) => formatMoney(locale, value, store.currency)
  return ({ quantity, price }: Option) => {
    const unit = numeric(price) / numeric(quantity)
    if (price.trim() === '' || !Number.isFinite(unit) || unit < 0) return undefined
    if (!product) return words.unitOnly(money(unit))
    const [lowest, highest] = pricesOf(product)
    const usual = lowest === highest ? money(lowest) : `${money(lowest)} – ${money(highest)}`
    if (lowest === highest && unit === lowest) return words.same(money(unit))
    if (unit > lowest || lowest === 0) return words.dearer(money(unit), usual)
    const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(1 - unit / lowest)
    return words.preview(money(unit), usual, percent)
  }
}

interface OptionsProps {
  product: Product | undefined
  options: readonly Option[]
  fields: Record<string, string[]>
  onChange: (options: readonly Option[]) => void
}

const Options = ({ product, options, fields, onChange }: OptionsProps) => {
  const words = useBundleWords()
  const { store } = useStore()
  const preview = usePreview(product)
  const set = (place: number, changes: Partial<Option>) =>
    onChange(options.map((option, n) => (n === place ? { ...option, ...changes } : option)))
  return (
    <fieldset className={styles.options}>
      <legend>{words.options}</legend>
      {options.map((option, place) => {
        const label = words.option(String(place + 1))
        const errors = (field: string) => fields[`options.${place}.${field}`]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a new offer has no id.
          <fieldset key={place} aria-label={label} className={styles.option}>
            <TextField
              label={words.optionName}
              dir="auto"
              maxLength={255}
              value={option.name}
              errors={errors('name')}
              onChange={({ target }) => set(place, { name: target.value })}
            />
            <TextField
              label={words.quantity}
              dir="ltr"
              inputMode="numeric"
              value={option.quantity}
              errors={errors('quantity')}
              onChange={({ target }) => set(place, { quantity: target.value })}
            />
            <TextField
              label={`${words.price} (${store.currency})`}
              dir="ltr"
              inputMode="decimal"
              value={option.price}
              errors={errors('price')}
              onChange={({ target }) => set(place, { price: target.value })}
            />
            {options.length > 1 && (
              <Button
                kind="quiet"
                icon={<Trash2 />}
                aria-label={words.remove(option.name || label)}
                onClick={() => onChange(options.filter((_, n) => n !== place))}
              />
            )}
            <p className={styles.preview} role="status">
              {preview(option)}
            </p>
          </fieldset>
        )
      })}
      {options.length < MAX_OPTIONS && (
        <div>
          <Button icon={<Plus />} onClick={() => onChange([...options, NEW])}>
            {words.add}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface BundleFormProps {
  bundle?: Bundle
  /** What the list knows of the product. */
  product?: Chosen | undefined
  onClose: () => void
}

export const BundleForm = ({ bundle, product, onClose }: BundleFormProps) => {
  const words = useBundleWords()
  const messages = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const [chosen, setChosen] = useState(product)
  const create = useCreate(client.bundles.create, (made: Bundle, { product_id: _, ...body }) =>
    client.bundles.update(made.id, body),
  )
  const form = useForm(
    valuesOf(bundle),
    (_changes, values, newest: Bundle | undefined) => {
      const { product_id, ...body } = bodyOf(values)
      return bundle
        ? client.bundles.update(bundle.id, body, { ifMatch: newest ?? bundle })
        : create({ product_id, ...body })
    },
    bundle && { read: () => client.bundles.get(bundle.id), valuesOf },
  )
  // The list may know it later than the bundle is there.
  const read = useProduct(form.values.product_id)
  const { fields } = describeError(form.error ?? new Error(), messages)
  const optionFields = form.values.options.flatMap((_, n) =>
    ['name', 'quantity', 'price'].map((field) => `options.${n}.${field}`),
  )
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'bundles'] })
  return (
    <FormDialog
      wide
      title={bundle ? words.edit : words.create}
      act={messages.controls.save}
      form={form}
      shown={['name', 'status', 'product_id', ...optionFields]}
      onDone={async () => {
        await renew()
        toast(bundle ? words.saved : words.createdDone)
      }}
      onClose={onClose}
      onReload={() => renew().then(onClose)}
    >
      <ProductPicker
        chosen={chosen ?? (read && chosenOf(read))}
        errors={fields.product_id}
        disabled={bundle !== undefined}
        onChoose={(product) => {
          setChosen(product)
          form.set({ product_id: product.id })
        }}
      />
      <div className={styles.head}>
        <TextField label={words.name} help={words.nameHelp} dir="auto" maxLength={255} {...form.field('name')} />
        <SelectField
          label={words.status}
          help={words.statusHelp}
          choices={Object.entries(words.statuses).map(([value, label]) => ({ value, label }))}
          {...form.field('status')}
        />
      </div>
      <Options
        product={read}
        options={form.values.options}
        fields={fields}
        onChange={(options) => form.set({ options })}
      />
    </FormDialog>
  )
}
