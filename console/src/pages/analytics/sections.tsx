import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Surface } from '../../components/Page.tsx'
import { useAddress, withChanges } from '../../components/useAddress.ts'
import styles from './Analytics.module.css'
import { Charts, useFormats } from './Charts.tsx'
import { FigureTable } from './FigureTable.tsx'
import type { Period } from './period.ts'
import { Read, useBoth } from './Read.tsx'
import { useAnalyticsWords } from './words.ts'

const REFETCH_MS = 60_000

export const Sales = ({ period }: { period: Period }) => {
  const words = useAnalyticsWords()
  const { store } = useStore()
  const { params, change } = useAddress()
  const query = useBoth('sales', period, (client, span, signal) => client.analytic.getSalesAnalytics(span, { signal }))
  const currencies = query.data?.now.sales.map(({ currency }) => currency) ?? []
  const asked = params.get('currency') ?? ''
  const currency = currencies.includes(asked) ? asked : store.currency
  const { number, money, compact } = useFormats(currency)
  return (
    <Read query={query}>
      {({ now, before }) => {
        const sales = now.sales.find((one) => one.currency === currency) ?? now.sales[0]
        const then = before.sales.find((one) => one.currency === currency)
        if (!sales) return null
        return (
          <>
            {currencies.length > 1 && (
              <div className={styles.choice}>
                <SelectField
                  label={words.currency}
                  choices={currencies.map((value) => ({ value, label: value }))}
                  value={currency}
                  onChange={({ target }) => change({ currency: target.value }, { replace: true })}
                />
              </div>
            )}
            <Charts
              series={sales.series}
              earlier={then?.series ?? []}
              charts={[
                { title: words.orders, value: ({ orders }) => orders, format: number },
                { title: words.revenue, value: ({ revenue }) => revenue, format: money, axis: compact },
                { title: words.paid, value: ({ paid }) => paid, format: number },
                { title: words.units, value: ({ units }) => units, format: number },
                {
                  title: words.average,
                  value: ({ average_order }) => average_order,
                  format: money,
                  axis: compact,
                  total: sales.total.average_order,
                  totalBefore: then?.total.average_order ?? null,
                },
                { title: words.refunds, value: ({ refunds }) => refunds, format: money, axis: compact },
                { title: words.cancelled, value: ({ cancelled }) => cancelled, format: number },
                { title: words.abandoned, value: ({ abandoned }) => abandoned, format: number },
              ]}
            />
          </>
        )
      }}
    </Read>
  )
}

export const Customers = ({ period }: { period: Period }) => {
  const words = useAnalyticsWords()
  const { store } = useStore()
  const { number } = useFormats(store.currency)
  const query = useBoth('customers', period, (client, span, signal) =>
    client.analytic.getCustomerAnalytics(span, { signal }),
  )
  return (
    <Read query={query}>
      {({ now, before }) => (
        <Charts
          series={now.series}
          earlier={before.series}
          charts={[
            { title: words.newCustomers, value: ({ new_customers }) => new_customers, format: number },
            { title: words.returning, value: ({ returning_orders }) => returning_orders, format: number },
            { title: words.guests, value: ({ guest_orders }) => guest_orders, format: number },
            { title: words.orders, value: ({ orders }) => orders, format: number },
          ]}
        />
      )}
    </Read>
  )
}

const PRODUCT_SORTS = ['gross', 'units', 'ordered_units'] as const
/** As many as the service shows of carriers and cities. */
const LIMIT = 100

/** One product over time. */
const OneProduct = ({ id, period }: { id: string; period: Period }) => {
  const words = useAnalyticsWords()
  const { store } = useStore()
  const { params, change } = useAddress()
  const { number, money, compact } = useFormats(store.currency)
  const query = useBoth(`product ${id}`, period, (client, span, signal) =>
    client.analytic.getProductAnalytics({ ...span, product_id: id }, { signal }),
  )
  return (
    <Read query={query}>
      {({ now, before }) => (
        <>
          <div className={styles.heading}>
            <h2>{words.ofProduct(now.products[0]?.title ?? params.get('name') ?? '')}</h2>
            <button type="button" onClick={() => change({ product: undefined, name: undefined })}>
              {words.allProducts}
            </button>
          </div>
          <Charts
            series={now.series}
            earlier={before.series}
            charts={[
              { title: words.gross, value: ({ gross }) => gross, format: money, axis: compact },
              { title: words.units, value: ({ units }) => units, format: number },
              { title: words.orderedUnits, value: ({ ordered_units }) => ordered_units, format: number },
            ]}
          />
        </>
      )}
    </Read>
  )
}

export const Products = ({ period }: { period: Period }) => {
  const words = useAnalyticsWords()
  const { store } = useStore()
  const { params, search, change } = useAddress()
  const { number, money } = useFormats(store.currency)
  const product = params.get('product')
  const sort = PRODUCT_SORTS.find((name) => name === params.get('sort')) ?? 'gross'
  const query = useBoth(`products ${sort}`, period, (client, span, signal) =>
    client.analytic.getProductAnalytics({ ...span, order_by: sort, limit: LIMIT }, { signal }),
  )
  if (product) return <OneProduct id={product} period={period} />
  const labels = { gross: words.gross, units: words.units, ordered_units: words.orderedUnits }
  return (
    <Read query={query}>
      {({ now, before }) => {
        const earlier = new Map(before.products.map((row) => [row.product_id, row]))
        // Who is not among the first ones has sold something or nothing.
        const unknown = before.products.length < LIMIT ? 0 : null
        return (
          <FigureTable
            title={words.best}
            limit={LIMIT}
            head={words.product}
            rows={now.products}
            keyOf={({ product_id }) => product_id ?? ''}
            nameOf={({ title }) => title ?? words.deletedProducts}
            href={({ product_id }) => {
              if (!product_id) return undefined
              return `/s/${store.id}/analytics?${withChanges(search, { product: product_id })}`
            }}
            actions={
              <SelectField
                label={words.sortBy}
                hideLabel
                choices={PRODUCT_SORTS.map((value) => ({ value, label: labels[value] }))}
                value={sort}
                onChange={({ target }) => change({ sort: target.value }, { replace: true })}
              />
            }
            columns={[
              { label: words.gross, value: ({ gross }) => gross, format: money },
              {
                label: words.before,
                value: ({ product_id }) => earlier.get(product_id)?.gross ?? unknown,
                format: money,
                wide: true,
              },
              { label: words.units, value: ({ units }) => units, format: number, wide: true },
              { label: words.orderedUnits, value: ({ ordered_units }) => ordered_units, format: number, wide: true },
            ]}
          />
        )
      }}
    </Read>
  )
}

export const Delivery = ({ period }: { period: Period }) => {
  const words = useAnalyticsWords()
  const { store } = useStore()
  const { number, percent } = useFormats(store.currency)
  const query = useBoth('delivery', period, (client, span, signal) =>
    client.analytic.getDeliveryAnalytics(span, { signal }),
  )
  type Place = NonNullable<typeof query.data>['now']['total']
  const columns = [
    { label: words.deliveries, value: ({ deliveries }: Place) => deliveries, format: number },
    { label: words.shipped, value: ({ shipped }: Place) => shipped, format: number, wide: true },
    { label: words.delivered, value: ({ delivered }: Place) => delivered, format: number, wide: true },
    { label: words.cancelled, value: ({ cancelled }: Place) => cancelled, format: number, wide: true },
    { label: words.returns, value: ({ returns }: Place) => returns, format: number, wide: true },
    { label: words.success, value: ({ success_rate }: Place) => success_rate, format: percent },
  ]
  return (
    <Read query={query}>
      {({ now, before }) => (
        <>
          <Charts
            series={now.series}
            earlier={before.series}
            charts={[
              {
                title: words.success,
                value: ({ success_rate }) => success_rate,
                format: percent,
                most: 1,
                total: now.total.success_rate,
                totalBefore: before.total.success_rate,
              },
              { title: words.deliveries, value: ({ deliveries }) => deliveries, format: number },
            ]}
          />
          <FigureTable
            title={words.carriers}
            limit={LIMIT}
            help={words.successHelp}
            head={words.carrier}
            rows={now.carriers}
            keyOf={({ carrier_id }) => carrier_id ?? ''}
            nameOf={({ name }) => name ?? words.noCarrier}
            columns={columns}
          />
          <FigureTable
            title={words.cities}
            limit={LIMIT}
            help={words.successHelp}
            head={words.city}
            rows={now.cities}
            keyOf={({ city }) => city ?? ''}
            nameOf={({ city }) => city ?? words.noCity}
            columns={columns}
          />
        </>
      )}
    </Read>
  )
}

export const Stock = ({ period: { from, to } }: { period: Period }) => {
  const words = useAnalyticsWords()
  const { store, client } = useStore()
  const { number } = useFormats(store.currency)
  const query = useQuery({
    queryKey: [store.id, 'analytic', 'stock', from, to, LIMIT],
    queryFn: ({ signal }) => client.analytic.getStockAnalytics({ from, to, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
  type Row = NonNullable<typeof query.data>['low'][number]
  const shared = {
    head: words.product,
    limit: LIMIT,
    keyOf: ({ product_id }: Row) => product_id,
    nameOf: ({ title }: Row) => title,
    href: ({ product_id }: Row) => `/s/${store.id}/products/${product_id}`,
    columns: [
      { label: words.quantity, value: ({ quantity }: Row) => quantity, format: number },
      { label: words.perDay, value: ({ units_per_day }: Row) => units_per_day, format: number, wide: true },
      { label: words.cover, value: ({ days_of_cover }: Row) => days_of_cover, format: number },
    ],
  }
  return (
    <Read query={query}>
      {(data) =>
        data.low.length + data.out_of_stock.length === 0 ? (
          <Surface>
            <Empty title={words.nothing}>{words.nothingHelp}</Empty>
          </Surface>
        ) : (
          <>
            <FigureTable title={words.low} rows={data.low} {...shared} />
            <FigureTable title={words.outOfStock} rows={data.out_of_stock} {...shared} />
          </>
        )
      }
    </Read>
  )
}
