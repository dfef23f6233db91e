import { API_PREFIX } from '../../config/config.ts'
import { dataOf } from './call-api.ts'
import type { Arguments } from './operations.ts'
import type { ToolContext } from './tool-context.ts'
import { ToolError } from './tool-error.ts'

// biome-ignore lint/suspicious/noExplicitAny: figures of every report.
type Json = any

export const REPORTS = ['sales', 'products', 'customers', 'delivery', 'landing-pages', 'stock']

/** Each row of a report: what names it, and its figures. */
const rowsOf = (report: string, data: Json): { name: string; figures: Json }[] => {
  if (report === 'sales') return data.sales.map(({ currency, total }: Json) => ({ name: currency, figures: total }))
  if (report === 'products' || report === 'landing-pages')
    return (data.products ?? data.landing_pages).map(({ title, product_id, landing_page_id, ...figures }: Json) => ({
      name: title ?? product_id ?? landing_page_id,
      figures,
    }))
  return [{ name: 'all', figures: data.total }]
}

const percent = (now: number, before: number) =>
  before === 0 ? null : Math.round(((now - before) / before) * 1000) / 10

/** `[now, before, change in per cent]` for each figure. */
const compare = (now: Json, before: Json) =>
  Object.fromEntries(
    Object.entries(now)
      .filter(([, value]) => typeof value === 'number')
      .map(([name, value]) => {
        const earlier = typeof before?.[name] === 'number' ? before[name] : 0
        return [name, [value, earlier, percent(value as number, earlier)]]
      }),
  )

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** The figures of a period, each with that of the period of the same length before it. */
export const report = async ({ callApi }: ToolContext, args: Arguments) => {
  const about = String(args.about)
  if (!REPORTS.includes(about))
    throw new ToolError(`There is no report about ${about}.`, { field: 'about', hint: `One of ${REPORTS.join(', ')}.` })
  const { from = daysAgo(30), to } = args as { from?: string; to?: string }
  const ask = async (query: Record<string, string>) => {
    const url = `${API_PREFIX}/analytic/${about}?${new URLSearchParams(query)}`
    return dataOf(await callApi({ method: 'GET', url })) as Json
  }
  const shape: Record<string, string> = {
    ...(about !== 'stock' && { interval: 'month' }),
    ...((about === 'products' || about === 'landing-pages') && { limit: '20' }),
  }
  const asked = { ...shape, from: String(from), ...(to !== undefined && { to: String(to) }) }
  const now = await ask(asked)
  if (about === 'stock')
    return { store_data: { ...now, out_of_stock: now.out_of_stock.slice(0, 20), low: now.low.slice(0, 20) } }
  const start = Date.parse(now.period.from)
  const length = Date.parse(now.period.to) - start
  const before = await ask({
    ...shape,
    from: new Date(start - length).toISOString(),
    to: new Date(start).toISOString(),
  })
  const earlier = new Map(rowsOf(about, before).map(({ name, figures }) => [name, figures]))
  return {
    period: now.period,
    compared_with: before.period,
    columns: '[now, before, change in per cent]',
    store_data: rowsOf(about, now).map(({ name, figures }) => ({ name, ...compare(figures, earlier.get(name)) })),
  }
}
