import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Money } from '../../components/Money.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useSettled } from '../../components/useSettled.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { type Product, type Variant, variantsOf } from '../products/labels.ts'
import { useEditWords } from './edit-words.ts'
import styles from './OrderForm.module.css'

export interface Stock {
  /** Undefined if the stock is not counted. */
  units: number | undefined
  mayOversell: boolean
}

export interface Found {
  variant: Variant
  title: string
  /** The values of its options. */
  detail: string
  image: string | null
  stock: Stock
}

const MIN_SEARCH = 2

export const stockOf = ({ stock_tracked, allow_order_when_oos }: Product, { quantity }: Variant): Stock => ({
  units: stock_tracked ? quantity : undefined,
  mayOversell: allow_order_when_oos,
})

const foundIn = (product: Product): Found[] =>
  variantsOf(product).map((variant) => ({
    variant,
    title: product.title,
    detail: product.variants.length > 0 ? variant.title : '',
    image: variant.image?.thumbnail ?? product.images[0]?.thumbnail ?? null,
    stock: stockOf(product, variant),
  }))

/** Active products by their words, or else by exactly this SKU: then only that variant. */
const useFound = (search: string) => {
  const { store, client } = useStore()
  return useQuery({
    queryKey: [store.id, 'products', 'variants', search],
    queryFn: async ({ signal }): Promise<Found[]> => {
      const given = { page_size: 8, total: false, status: 'active' } as const
      const words = search.length >= MIN_SEARCH ? { search } : {}
      const { products } = await client.products.list({ ...given, ...words }, { signal })
      if (products.length > 0 || search === '') return products.flatMap(foundIn)
      const bySku = await client.products.list({ ...given, sku: search }, { signal })
      return bySku.products.flatMap(foundIn).filter(({ variant }) => variant.sku === search)
    },
    placeholderData: keepPreviousData,
  })
}

/** Finds what can be ordered: each variant with its price and what is in stock. */
export const VariantFinder = ({
  currency,
  onChoose,
  onClose,
}: {
  currency: string
  onChoose: (found: Found) => void
  onClose: () => void
}) => {
  const words = useEditWords()
  const { locale } = useWords()
  const [text, setText] = useState('')
  const search = useSettled(text.trim())
  const { data, error, isPlaceholderData } = useFound(search)
  const inStock = ({ units }: Stock) => {
    if (units === undefined) return words.notTracked
    return units > 0 ? words.inStock(numberFormat(locale).format(units)) : words.outOfStock
  }
  const isCurrent = search === text.trim() && !isPlaceholderData
  return (
    <Dialog
      title={words.addItem}
      onClose={onClose}
      // Enter takes the only one that matches.
      onSubmit={() => isCurrent && data?.length === 1 && onChoose(data[0] as Found)}
    >
      <TextField label={words.findItem} dir="auto" value={text} onChange={({ target }) => setText(target.value)} />
      <Problem error={error ?? undefined} />
      {data?.length === 0 && <p role="status">{words.noItem}</p>}
      <ul className={styles.found} aria-busy={!isCurrent}>
        {data?.map((found) => (
          <li key={found.variant.id}>
            <button type="button" onClick={() => onChoose(found)}>
              {found.image ? <img src={found.image} alt="" loading="lazy" /> : <span className={styles.noImage} />}
              <span className={styles.what}>
                <bdi>{found.title}</bdi>
                <small>
                  {found.detail && <bdi>{found.detail}</bdi>} {found.variant.sku && <Ltr>{found.variant.sku}</Ltr>}
                </small>
              </span>
              <span className={styles.figures}>
                <Money amount={found.variant.price} currency={currency} />
                <small>{inStock(found.stock)}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
