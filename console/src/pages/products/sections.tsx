import { Plus, Trash2 } from 'lucide-react'
import { type ComponentType, memo, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { AreaField, CheckField, SelectField, TextField } from '../../components/Field.tsx'
import { CategoryDialog } from '../categories/CategoryDialog.tsx'
import { CELLS, type Cell, type Draft, newKey, type Variant } from './draft.ts'
import styles from './ProductPage.module.css'
import { TextEditor } from './TextEditor.tsx'
import { useCategories } from './useCategories.ts'
import { useProductWords } from './words.ts'

type Errors = Readonly<Record<string, readonly string[]>>

interface SectionProps {
  draft: Draft
  change: (changes: Partial<Draft>) => void
  errors: Errors
  disabled: boolean
}

/** Drawn again only when these fields of the draft change: typing in one section must not wait for the others. */
const section = (fields: readonly (keyof Draft)[], Component: ComponentType<SectionProps>) =>
  memo(
    Component,
    (a, b) =>
      a.change === b.change &&
      a.errors === b.errors &&
      a.disabled === b.disabled &&
      fields.every((field) => a.draft[field] === b.draft[field]),
  )

type TextName = 'title' | 'description' | 'slug' | 'page_title' | 'meta_description'

/** Props of a text field by its name. */
const text = ({ draft, change, errors, disabled }: SectionProps, name: TextName) => ({
  name,
  value: draft[name],
  errors: errors[name],
  disabled,
  dir: 'auto',
  onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
})

export const Section = ({ title, children }: { title?: string; children: ReactNode }) => (
  <section className={styles.section}>
    {title && <h2>{title}</h2>}
    {children}
  </section>
)

export const Basics = section(['title', 'description'], (props) => {
  const words = useProductWords()
  return (
    <Section>
      <TextField label={words.name} maxLength={255} required {...text(props, 'title')} />
      <TextEditor label={words.description} rows={6} maxLength={65_536} {...text(props, 'description')} />
    </Section>
  )
})

export const SearchEngines = section(['slug', 'page_title', 'meta_description'], (props) => {
  const words = useProductWords()
  return (
    <Section title={words.search}>
      <TextField label={words.slug} help={words.slugHelp} maxLength={255} {...text(props, 'slug')} />
      <TextField label={words.pageTitle} maxLength={255} {...text(props, 'page_title')} />
      <AreaField label={words.metaDescription} rows={3} maxLength={1024} {...text(props, 'meta_description')} />
    </Section>
  )
})

export const Organisation = section(
  ['status', 'category_id', 'stock_tracked', 'allow_order_when_oos', 'is_digital'],
  ({ draft, change, errors, disabled }) => {
    const words = useProductWords()
    const { can } = useStore()
    const categories = useCategories()
    const [adding, setAdding] = useState(false)
    return (
      <Section title={words.organisation}>
        <SelectField
          label={words.status}
          choices={[
            { value: 'active', label: words.statuses.active },
            { value: 'inactive', label: words.statuses.inactive },
          ]}
          value={draft.status}
          errors={errors.status}
          disabled={disabled}
          onChange={({ target }) => change({ status: target.value as Draft['status'] })}
        />
        <SelectField
          label={words.category}
          choices={[
            { value: '', label: words.noCategory },
            ...categories.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={draft.category_id}
          errors={errors.category_id}
          disabled={disabled}
          onChange={({ target }) => change({ category_id: target.value })}
        />
        {!disabled && can('product:create') && (
          <div>
            <Button icon={<Plus />} onClick={() => setAdding(true)}>
              {words.addCategory}
            </Button>
          </div>
        )}
        {adding && (
          <CategoryDialog onSaved={({ id }) => change({ category_id: id })} onClose={() => setAdding(false)} />
        )}
        <CheckField
          label={words.trackStock}
          checked={draft.stock_tracked}
          disabled={disabled}
          onChange={(stock_tracked) => change({ stock_tracked })}
        />
        <CheckField
          label={words.sellWhenOut}
          checked={draft.allow_order_when_oos}
          disabled={disabled || !draft.stock_tracked}
          onChange={(allow_order_when_oos) => change({ allow_order_when_oos })}
        />
        <CheckField
          label={words.digital}
          checked={draft.is_digital}
          disabled={disabled}
          onChange={(is_digital) => change({ is_digital })}
        />
      </Section>
    )
  },
)

/** Price and stock of a product without options. */
export const Pricing = ({
  row,
  rowErrors,
  onRow,
  disabled,
}: {
  row: Variant
  rowErrors: Readonly<Partial<Record<string, readonly string[]>>> | undefined
  onRow: (row: Variant) => void
  disabled: boolean
}) => {
  const words = useProductWords()
  const { store } = useStore()
  const labels: Record<Cell, string> = {
    price: `${words.price} (${store.currency})`,
    compare_price: `${words.comparePrice} (${store.currency})`,
    sku: words.sku,
    quantity: words.quantity,
  }
  return (
    <Section title={words.pricing}>
      <div className={styles.fields}>
        {[...CELLS]
          .sort((a, b) => Number(a === 'sku') - Number(b === 'sku'))
          .map((cell) => (
            <TextField
              key={cell}
              label={labels[cell]}
              dir="ltr"
              maxLength={255}
              inputMode={cell === 'sku' ? 'text' : 'decimal'}
              value={row[cell]}
              errors={rowErrors?.[cell]}
              disabled={disabled}
              {...(cell === 'compare_price' && { help: words.comparePriceHelp })}
              onChange={({ target }) => onRow({ ...row, [cell]: target.value })}
            />
          ))}
      </div>
    </Section>
  )
}

export const Attributes = section(['attributes'], ({ draft, change, disabled }) => {
  const words = useProductWords()
  const { attributes } = draft
  const set = (at: number, changes: object) =>
    change({ attributes: attributes.map((attribute, n) => (n === at ? { ...attribute, ...changes } : attribute)) })
  return (
    <Section title={words.attributes}>
      {attributes.length === 0 && <p className={styles.help}>{words.attributesHelp}</p>}
      {attributes.map(({ key, name, value }, at) => (
        <div key={key} className={styles.attribute}>
          <TextField
            label={words.attributeName}
            hideLabel
            placeholder={words.attributeName}
            dir="auto"
            maxLength={255}
            value={name}
            disabled={disabled}
            onChange={({ target }) => set(at, { name: target.value })}
          />
          <TextField
            label={words.attributeValue}
            hideLabel
            placeholder={words.attributeValue}
            dir="auto"
            maxLength={4096}
            value={value}
            disabled={disabled}
            onChange={({ target }) => set(at, { value: target.value })}
          />
          {!disabled && (
            <Button
              kind="quiet"
              icon={<Trash2 />}
              aria-label={words.removeAttribute(name)}
              onClick={() => change({ attributes: attributes.filter((_, n) => n !== at) })}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <div>
          <Button
            icon={<Plus />}
            onClick={() => change({ attributes: [...attributes, { key: newKey(), name: '', value: '' }] })}
          >
            {words.addAttribute}
          </Button>
        </div>
      )}
    </Section>
  )
})

/** Where else the product is. */
export const Related = ({ id }: { id: string }) => {
  const words = useProductWords()
  const { store, can } = useStore()
  const links = [
    ['order:view', 'orders', words.ordersOf],
    ['review:view', 'reviews', words.reviews],
    ['landing_page:view', 'landing-pages', words.landingPages],
  ] as const
  return (
    <Section title={words.related}>
      <ul className={styles.links}>
        {links
          .filter(([permission]) => can(permission))
          .map(([, page, label]) => (
            <li key={page}>
              <Link href={`/s/${store.id}/${page}?product_id=${id}`}>{label}</Link>
            </li>
          ))}
      </ul>
    </Section>
  )
}
