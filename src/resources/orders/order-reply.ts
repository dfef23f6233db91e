import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeOnce } from '../../core/http/idempotency.ts'
import type { WriteAnswer } from '../../core/http/versions.ts'
import { rereadText } from '../../core/reading/request-texts.ts'
import { lockRow } from '../../core/reading/single-row.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { type OrderRows, readOrderRows } from './rows.ts'
import { orderTexts } from './text.ts'

/** What an operation on an order changed: the order, and which of its deliveries, returns or refunds. */
export interface Written {
  order: string
  part?: string
  /** The rows of the order, if already loaded. */
  rows?: OrderRows
}

interface AnswerKind {
  status: 200 | 201
  /** Key of the resource in `data`. */
  key: string
  /** Its kind of text. */
  kind: 'order' | 'delivery' | 'order_return' | 'refund'
  /** Finds the order that the write changes; may query the database. */
  orderOf?: (db: Db) => Promise<string | undefined>
}

const PARTS = { delivery: 'deliveries', order_return: 'returns', refund: 'refunds' } as const

/** Renders the order once, keeps its text, and fills the holes of what the reply shows. */
const answer = async (
  db: Tx,
  { store, texts }: FastifyRequest,
  kind: AnswerKind['kind'],
  { order, part, rows }: Written,
): Promise<WriteAnswer> => {
  const rendered = orderTexts(rows ?? (await readOrderRows(db, store, [order])), store)
  const text = rendered.orders.get(order) as string
  const parts = kind === 'order' ? [] : [rendered[PARTS[kind]].get(part as string) as string]
  const [whole, shown] = (await texts.keepAndFill(db, 'order', order, text, parts)) as [string, string?]
  return shown === undefined ? whole : { part: shown, whole }
}

/** Runs a write to an order, or to a part of it. Deliveries, returns and refunds are versioned and locked with their order. */
export const writeOrder = (
  db: Db,
  reply: FastifyReply,
  { status, key, kind, orderOf }: AnswerKind,
  operation: (db: Tx) => Promise<Written>,
): Promise<FastifyReply> => {
  const { request } = reply
  const { store, texts } = request
  const resource = orderOf && {
    lock: async (db: Tx) => {
      const order = await orderOf(db)
      if (order) await lockRow(db, 'orders', store, order)
    },
    read: async (db: Tx) => {
      const order = await orderOf(db)
      return order ? texts.one(db, 'order', order) : undefined
    },
  }
  return writeOnce(
    db,
    reply,
    { status, key, render: rereadText(request, kind), ...(resource && { resource }) },
    async (db) => answer(db, request, kind, await operation(db)),
  )
}
