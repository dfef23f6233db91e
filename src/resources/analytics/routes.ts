import type { FastifyRequest } from 'fastify'
import type { Api } from '../../core/http/api.ts'
import { sendJson } from '../../core/http/json-reply.ts'
import { errors } from '../../core/input/schemas.ts'
import { array, type Fields, object, value } from '../../core/reading/json-text.ts'
import type { Db } from '../../core/storage/database.ts'
import { preferReplica } from '../../core/storage/replicas.ts'
import { LEVELS } from '../orders/desk-schema.ts'
import {
  customerFigures,
  deliveryFigures,
  fillSeries,
  landingPageFigures,
  levelFigures,
  productFigures,
  replyText,
  salesFigures,
  seriesText,
  totalText,
} from './json.ts'
import { readLevels } from './levels.ts'
import { type PeriodQuery, readPeriod } from './period.ts'
import { findStore, findTitle, type PlaceRow, readPlaces, readSeries, type SeriesRow } from './queries.ts'
import { type Ranking, rank } from './ranking.ts'
import {
  CustomersReply,
  DeliveryReply,
  type LandingPageAnalytics,
  LandingPageAnalyticsQuery,
  LandingPagesReply,
  type LevelAnalytics,
  LevelAnalyticsQuery,
  LevelsReply,
  PeriodQuery as PeriodParameters,
  type ProductAnalytics,
  ProductAnalyticsQuery,
  ProductsReply,
  type SalesAnalytics,
  SalesReply,
  StockQuery,
  StockReply,
} from './schema.ts'
import { stockText } from './stock-report.ts'
import { addUp, isZero, readSums, type Sums } from './sums.ts'

const MAX_CURRENCIES = 10

interface RankedQuery extends Ranking {
  /** Only this one. */
  id: string | undefined
}

/** The store's currency first, then those with the most orders. Sums of longer times may include others, and add up to 0. */
const currenciesOf = (own: string, rows: readonly SeriesRow[]) => {
  const orders = new Map<string, bigint>([[own, 0n]])
  for (const { currency, ...row } of rows) {
    const sums = readSums(row)
    if (isZero(sums)) continue
    orders.set(currency, (orders.get(currency) ?? 0n) + sums.orders + sums.paid)
  }
  const others = [...orders].filter(([currency]) => currency !== own)
  others.sort(([a, m], [b, n]) => (m === n ? (a < b ? -1 : 1) : m < n ? 1 : -1))
  return [own, ...others.map(([currency]) => currency)].slice(0, MAX_CURRENCIES)
}

export const analyticRoutes = (app: Api, { db }: { db: Db }) => {
  const config = { permission: 'analytic:view', extension: true } as const

  const start = async ({ store }: FastifyRequest, query: PeriodQuery) => {
    await preferReplica()
    const { currency, time_zone } = await findStore(db, store)
    return { currency, period: readPeriod(time_zone, query) }
  }

  /** Those with the highest figures, or one of them with its series. */
  const readRanked = async <T extends object>({ id, ...asked }: RankedQuery, figuresOf: (sums: Sums) => Fields<T>) => {
    const { store, period, kind, currency } = asked
    if (!id) {
      const rows = await rank(db, asked)
      return {
        rows: rows.map(({ id, title, ...row }) => ({ id, title, figures: figuresOf(readSums(row)) })),
        series: array<never>([]),
      }
    }
    const counted = await readSeries(db, store, kind, id, period)
    const sums = fillSeries(
      period,
      counted.filter((row) => row.currency === currency),
    )
    const total = addUp(sums)
    const happened = total.orders !== 0n || total.ordered_units !== 0n || total.units !== 0n
    const row = { id, title: await findTitle(db, store, kind, id), figures: figuresOf(total) }
    return { rows: happened ? [row] : [], series: seriesText(period, sums, figuresOf) }
  }

  app.get(
    '/analytic/sales',
    {
      config,
      schema: {
        operationId: 'getSalesAnalytics',
        summary: 'Orders, payments and revenue over time',
        description: 'Exact at any time, for each currency of the orders. Intervals follow the time zone of the store.',
        querystring: PeriodParameters,
        response: { 200: SalesReply, ...errors },
      },
    },
    async (request, reply) => {
      const { currency: own, period } = await start(request, request.query)
      const rows = await readSeries(db, request.store, 'sales', '', period)
      const sales = currenciesOf(own, rows).map((currency) => {
        const sums = fillSeries(
          period,
          rows.filter((row) => row.currency === currency),
        )
        return object<SalesAnalytics>({
          currency: value(currency),
          total: totalText(sums, salesFigures),
          series: seriesText(period, sums, salesFigures),
        })
      })
      return sendJson(reply, replyText<SalesReply>(period, { sales: array(sales) }))
    },
  )

  app.get(
    '/analytic/products',
    {
      config,
      schema: {
        operationId: 'getProductAnalytics',
        summary: 'Sales by product',
        description: 'The products that sold most, or one product over time.',
        querystring: ProductAnalyticsQuery,
        response: { 200: ProductsReply, ...errors },
      },
    },
    async (request, reply) => {
      const { query, store } = request
      const { currency: own, period } = await start(request, query)
      const { currency = own, product_id, order_by: sort, limit } = query
      const { rows, series } = await readRanked(
        { store, period, kind: 'product', currency, sort, limit, id: product_id },
        productFigures,
      )
      const products = rows.map(({ id, title, figures }) =>
        object<ProductAnalytics>({ product_id: value(id), title: value(title), ...figures }),
      )
      return sendJson(
        reply,
        replyText<ProductsReply>(period, { currency: value(currency), products: array(products), series }),
      )
    },
  )

  app.get(
    '/analytic/customers',
    {
      config,
      schema: {
        operationId: 'getCustomerAnalytics',
        summary: 'New and returning customers over time',
        description:
          'Orders of all currencies. A customer is new with the first order that was not abandoned; every later order ' +
          'is one of a returning customer.',
        querystring: PeriodParameters,
        response: { 200: CustomersReply, ...errors },
      },
    },
    async (request, reply) => {
      const { period } = await start(request, request.query)
      const sums = fillSeries(period, await readSeries(db, request.store, 'sales', '', period))
      return sendJson(
        reply,
        replyText<CustomersReply>(period, {
          total: totalText(sums, customerFigures),
          series: seriesText(period, sums, customerFigures),
        }),
      )
    },
  )

  app.get(
    '/analytic/delivery',
    {
      config,
      schema: {
        operationId: 'getDeliveryAnalytics',
        summary: 'Delivery success over time, by carrier and by city',
        description:
          'Deliveries count by the time at which they were created and the status that they have now. Those of ' +
          'cancelled and abandoned orders count only if they were shipped, delivered or cancelled.',
        querystring: PeriodParameters,
        response: { 200: DeliveryReply, ...errors },
      },
    },
    async (request, reply) => {
      const { period } = await start(request, request.query)
      const sums = fillSeries(period, await readSeries(db, request.store, 'deliveries', '', period))
      const places = await readPlaces(db, request.store, period)
      const placesBy = (by: PlaceRow['by']) => places.filter((row) => row.by === by)
      return sendJson(
        reply,
        replyText<DeliveryReply>(period, {
          total: totalText(sums, deliveryFigures),
          series: seriesText(period, sums, deliveryFigures),
          carriers: array(
            placesBy('carrier').map(({ id, name, ...row }) =>
              object<DeliveryReply['data']['carriers'][number]>({
                carrier_id: value(id),
                name: value(name),
                ...deliveryFigures(readSums(row)),
              }),
            ),
          ),
          cities: array(
            placesBy('city').map(({ name, ...row }) =>
              object<DeliveryReply['data']['cities'][number]>({ city: value(name), ...deliveryFigures(readSums(row)) }),
            ),
          ),
        }),
      )
    },
  )

  app.get(
    '/analytic/landing-pages',
    {
      config,
      schema: {
        operationId: 'getLandingPageAnalytics',
        summary: 'From landing page to delivered revenue',
        description: 'What became of the orders that were placed through each landing page in the period.',
        querystring: LandingPageAnalyticsQuery,
        response: { 200: LandingPagesReply, ...errors },
      },
    },
    async (request, reply) => {
      const { query, store } = request
      const { currency: own, period } = await start(request, query)
      const { currency = own, landing_page_id, order_by: sort, limit } = query
      const { rows, series } = await readRanked(
        { store, period, kind: 'landing_page', currency, sort, limit, id: landing_page_id },
        landingPageFigures,
      )
      const pages = rows.map(({ id, title, figures }) =>
        object<LandingPageAnalytics>({ landing_page_id: value(id as string), title: value(title), ...figures }),
      )
      return sendJson(
        reply,
        replyText<LandingPagesReply>(period, { currency: value(currency), landing_pages: array(pages), series }),
      )
    },
  )

  app.get(
    '/analytic/levels',
    {
      config,
      schema: {
        operationId: 'getLevelAnalytics',
        summary: 'Delivery success by the level of the orders',
        description:
          'What became of the orders that were placed in the period, by the level of their signals: the one that follows ' +
          'from other orders of the phone number, because an order that was delivered does not show that it was to be ' +
          'expected. In one currency.',
        querystring: LevelAnalyticsQuery,
        response: { 200: LevelsReply, ...errors },
      },
    },
    async (request, reply) => {
      const { query, store } = request
      const { currency: own, period } = await start(request, query)
      const { currency = own } = query
      const rows = await readLevels(db, store, period, currency)
      const levels = LEVELS.map((level) => {
        const sums = fillSeries(
          period,
          rows.filter((row) => row.level === level),
        )
        return object<LevelAnalytics>({
          level: value(level),
          total: totalText(sums, levelFigures),
          series: seriesText(period, sums, levelFigures),
        })
      })
      return sendJson(reply, replyText<LevelsReply>(period, { currency: value(currency), levels: array(levels) }))
    },
  )

  app.get(
    '/analytic/stock',
    {
      config,
      schema: {
        operationId: 'getStockAnalytics',
        summary: 'Products that are or will soon be out of stock',
        description:
          'Active products whose stock is tracked: current stock, and how long it lasts if as much is ordered each ' +
          'day as in the period. Orders of all currencies count, except abandoned and cancelled ones.',
        querystring: StockQuery,
        response: { 200: StockReply, ...errors },
      },
    },
    async (request, reply) => {
      const { query, store } = request
      // The period is not divided; months allow the longest one.
      const { period } = await start(request, { ...query, interval: 'month' })
      return sendJson(reply, await stockText(db, store, period, query))
    },
  )
}
