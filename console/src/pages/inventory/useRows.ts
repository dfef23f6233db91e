import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'
import { spellingsOf } from '../../components/list-query.ts'
import { useAddress } from '../../components/useAddress.ts'
import { type Product, type Variant, variantsOf } from '../products/labels.ts'

const PAGE_SIZE = 50
const MIN_SEARCH = 2
const REFETCH_MS = 30_000
const FILTERS = { all: undefined, out: true, in: false } as const

export interface Row {
  product: Product
  variant: Variant
  name: string
}

type Sequence = 'stock' | 'title'

const inSequence = (variants: readonly Variant[], sequence: Sequence) =>
  sequence === 'stock' ? [...variants].sort((one, other) => one.quantity - other.quantity) : variants

/** The variants of a product whose stock is counted. */
export const rowsOf = (product: Product, sequence: Sequence = 'title'): Row[] =>
  product.stock_tracked
    ? inSequence(variantsOf(product), sequence).map((variant) => ({
        product,
        variant,
        name: product.variants.length > 0 ? `${product.title} · ${variant.title}` : product.title,
      }))
    : []

/** The page of products that the address asks for: by words, or else by this SKU. */
export const useRows = () => {
  const { store, client } = useStore()
  const { params } = useAddress()
  const search = params.get('search') ?? ''
  const shown = (params.get('show') ?? 'all') as keyof typeof FILTERS
  const sequence: Sequence = params.get('order') === 'title' ? 'title' : 'stock'
  const cursor = params.get('cursor')
  const query = useQuery({
    queryKey: [store.id, 'products', 'inventory', search, shown, sequence, cursor],
    queryFn: async ({ signal }) => {
      const filters = FILTERS[shown] === undefined ? {} : { out_of_stock: FILTERS[shown] }
      const order = { order_by: sequence, order_direction: 'ASC' } as const
      const page = { ...order, page_size: PAGE_SIZE, ...(cursor && { cursor }) }
      const ask = async (by: { search?: string; sku?: string }) => {
        const matching = { ...filters, ...by }
        return { ...(await client.products.list({ ...page, ...matching }, { signal })), matching }
      }
      const found = await ask(search.length >= MIN_SEARCH ? { search } : {})
      if (found.products.length > 0 || search === '') return found
      for (const sku of spellingsOf(search)) {
        const instead = await ask({ sku })
        if (instead.products.length > 0) return instead
      }
      return found
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
  const rows = (query.data?.products ?? []).flatMap((product) => rowsOf(product, sequence))
  return { query, rows, search, shown, sequence }
}
