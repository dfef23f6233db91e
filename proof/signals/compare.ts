import { isDeepStrictEqual } from 'node:util'
import {
  numberOf,
  recountPhone,
  recountSignals,
  type ShownOrder,
  shownPhone,
  shownSignals,
} from '../../tests/support/recount-signals.ts'
import type { Anomaly } from '../record.ts'
import type { Call } from './steps.ts'

const LEVELS = ['good', 'unknown', 'careful', 'bad']

const listOrders = async (call: Call, query = ''): Promise<ShownOrder[]> => {
  const orders: ShownOrder[] = []
  let cursor = ''
  for (;;) {
    const { body } = await call('GET', `/order?page_size=200${query}${cursor}`)
    orders.push(...body.data.orders)
    const next = body.data.pagination.next_cursor
    if (!next) return orders
    cursor = `&cursor=${encodeURIComponent(next)}`
  }
}

/** Compares what a node shows with a recount: the signals of each order, the filters, and the counts of each number. */
export const compareSignals = async (call: Call, where: string): Promise<Anomaly[]> => {
  const anomalies: Anomaly[] = []
  const differs = (name: string, what: string, shown: unknown, counted: unknown) => {
    if (isDeepStrictEqual(shown, counted)) return
    const detail = `${where}: ${what}: shown ${JSON.stringify(shown)}, counted ${JSON.stringify(counted)}`
    anomalies.push({ name, detail })
  }
  const orders = await listOrders(call)
  const counted = orders.map((order) => ({ order, signals: recountSignals(order, orders) }))
  for (const { order, signals } of counted)
    differs('the signals of an order differ from a recount', order.id, shownSignals(order), signals)
  const idsWhere = (fits: (signals: (typeof counted)[number]['signals']) => boolean) =>
    counted
      .filter(({ signals }) => fits(signals))
      .map(({ order }) => order.id)
      .sort()
  const listed = async (query: string) => (await listOrders(call, query)).map(({ id }) => id).sort()
  for (const level of LEVELS)
    differs(
      'a filter by signals differs from a recount',
      `level=${level}`,
      await listed(`&level=${level}`),
      idsWhere((signals) => signals.level === level),
    )
  differs(
    'a filter by signals differs from a recount',
    'duplicate=true',
    await listed('&duplicate=true'),
    idsWhere(({ reasons }) => reasons.includes('duplicate')),
  )
  for (const phone of new Set(['+21620123456', '+21698765432', ...orders.flatMap((order) => numberOf(order) ?? [])]))
    differs(
      'the counts of a phone number differ from a recount',
      phone,
      shownPhone((await call('GET', `/phone/${encodeURIComponent(phone)}`)).body.data.phone),
      recountPhone(phone, orders),
    )
  return anomalies
}
