import { useQueryClient } from '@tanstack/react-query'
import { ImageOff, PencilLine, Shirt, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { CreateButton } from '../../components/CreateButton.tsx'
import { ListPage, type Matching } from '../../components/ListPage.tsx'
import { orExactly } from '../../components/list-query.ts'
import { loadable } from '../../components/loadable.tsx'
import { Money } from '../../components/Money.tsx'
import type { Column } from '../../components/Table.tsx'
import { useDelete } from '../../components/useDelete.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { ImportExport } from '../transfer/ImportExport.tsx'
import { type Product, pricesOf, STATUS_TONES, unitsOf } from './labels.ts'
import styles from './ProductsPage.module.css'
import { deleteProduct } from './save-product.ts'
import { useProductsTitle } from './title.ts'
import { useCategories } from './useCategories.ts'
import { useProductWords } from './words.ts'

const BulkDialog = loadable(() => import('./BulkDialog.tsx'))

const PARAMETERS = ['status', 'out_of_stock', 'category', 'is_digital', 'sku', 'updated_from', 'updated_to']

/** The API looks for two characters or more. */
const MIN_SEARCH = 2

const Stock = ({ product }: { product: Product }) => {
  const words = useProductWords()
  const { locale } = useWords()
  if (!product.stock_tracked) return <span className={styles.muted}>{words.notTracked}</span>
  const units = unitsOf(product)
  return units > 0 ? <bdi>{numberFormat(locale).format(units)}</bdi> : <Badge tone="warn">{words.outOfStock}</Badge>
}

const Price = ({ product }: { product: Product }) => {
  const { store } = useStore()
  const [lowest, highest] = pricesOf(product)
  return (
    <bdi>
      <Money amount={lowest} currency={store.currency} />
      {highest > lowest && (
        <>
          {' – '}
          <Money amount={highest} currency={store.currency} />
        </>
      )}
    </bdi>
  )
}

const useColumns = (): Column<Product>[] => {
  const words = useProductWords()
  const { store } = useStore()
  return [
    {
      id: 'title',
      label: words.product,
      sort: 'title',
      cell: ({ title, image }) => (
        <span className={styles.what}>
          {image?.thumbnail ? (
            <img src={image.thumbnail} alt="" loading="lazy" />
          ) : (
            <span className={styles.none}>
              <ImageOff aria-hidden />
            </span>
          )}
          <span className={styles.title}>
            <bdi>{title}</bdi>
          </span>
        </span>
      ),
      below: (product) => (
        <span className={styles.below}>
          <Price product={product} />
        </span>
      ),
    },
    {
      id: 'status',
      label: words.status,
      cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{words.statuses[status]}</Badge>,
    },
    { id: 'stock', label: words.stock, align: 'end', wide: true, cell: (product) => <Stock product={product} /> },
    {
      id: 'variants',
      label: words.variants,
      align: 'end',
      wide: true,
      cell: ({ variants }) => variants.length || <span className={styles.muted}>–</span>,
    },
    {
      id: 'category',
      label: words.category,
      sort: 'category',
      wide: true,
      cell: ({ category }) => (category ? <span dir="auto">{category.name}</span> : '–'),
    },
    {
      id: 'updated',
      label: words.updated,
      sort: 'updated_at',
      wide: true,
      optional: true,
      cell: ({ updated_at }) => <When at={updated_at} zone={store.time_zone} />,
    },
    {
      id: 'created',
      label: words.created,
      sort: 'created_at',
      wide: true,
      optional: true,
      cell: ({ created_at }) => <When at={created_at} zone={store.time_zone} day />,
    },
    { id: 'price', label: words.price, align: 'end', wide: true, cell: (product) => <Price product={product} /> },
  ]
}

const load = orExactly<Product>('sku', async (client, { search, ...query }, signal) => {
  const words = typeof search === 'string' && search.length >= MIN_SEARCH ? { search } : {}
  const { products, pagination } = await client.products.list({ ...query, ...words }, { signal })
  return { rows: products, pagination }
})

interface Changing {
  products: readonly Product[]
  matching: Matching
  done: (failed: readonly Product[]) => void
}

const ProductsPage = () => {
  const words = useProductWords()
  const { controls } = useMessages()
  const title = useProductsTitle()
  const { store, client, can } = useStore()
  const queries = useQueryClient()
  const deleteRows = useDelete()
  const [, navigate] = useLocation()
  const canChange = can('product:update') && can('product:create')
  const remove = (rows: readonly Product[]) =>
    deleteRows({
      rows: rows.map(({ id, title }) => ({ id, name: title })),
      read: client.products.get,
      remove: (_id, { ifMatch }) => deleteProduct(client, ifMatch),
      done: `${controls.deletedCount(rows.length)}. ${words.deletedManyHelp}`,
      renew: () => queries.invalidateQueries({ queryKey: [store.id, 'products'] }),
    })
  const [changing, setChanging] = useState<Changing>()
  const columns = useColumns()
  const categories = useCategories()
  const choices = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))
  return (
    <>
      <ListPage<Product>
        list="products"
        title={title}
        columns={columns}
        parameters={PARAMETERS}
        filters={[
          { id: 'status', label: words.status, kind: 'choice', choices: choices(words.statuses) },
          { id: 'out_of_stock', label: words.available, kind: 'choice', choices: choices(words.availability) },
          {
            id: 'category',
            label: words.category,
            kind: 'choice',
            choices: categories.map(({ id, name }) => ({ value: id, label: name })),
          },
        ]}
        searchHint={words.searchHint}
        defaultSort={{ by: 'created_at', direction: 'DESC' }}
        views={[
          { name: words.views.all, query: '' },
          { name: words.views.active, query: 'status=active' },
          { name: words.views.inactive, query: 'status=inactive' },
          { name: words.views.outOfStock, query: 'out_of_stock=true&status=active' },
        ]}
        load={load}
        keyOf={({ id }) => id}
        nameOf={({ title }) => title}
        href={({ id }) => `/s/${store.id}/products/${id}`}
        empty={{
          title: words.empty,
          help: words.emptyHelp,
          noMatch: words.noMatch,
          noMatchHelp: words.noMatchHelp,
          icon: <Shirt />,
        }}
        actions={
          <>
            <ImportExport resource="product" parameters={PARAMETERS} />
            {can('product:create') && (
              <CreateButton label={words.add} onCreate={() => navigate(`/s/${store.id}/products/new`)} />
            )}
          </>
        }
        {...((canChange || can('product:delete')) && {
          bulk: (rows, select, matching) => (
            <>
              {canChange && (
                <Button icon={<PencilLine />} onClick={() => setChanging({ products: rows, matching, done: select })}>
                  {controls.changeMany}
                </Button>
              )}
              {can('product:delete') && (
                <Button
                  kind="danger"
                  icon={<Trash2 />}
                  onClick={() => remove(rows).then((isHidden) => isHidden && select([]))}
                >
                  {controls.delete}
                </Button>
              )}
            </>
          ),
        })}
      />
      {changing && <BulkDialog {...changing} onClose={() => setChanging(undefined)} />}
    </>
  )
}

export default ProductsPage
