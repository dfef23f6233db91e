/** What a run records. The checker reads nothing else. Times are those of the process that recorded, in milliseconds. */

// biome-ignore lint/suspicious/noExplicitAny: replies and bodies of every resource.
export type Json = any

export type WriteKind =
  | 'createCustomer'
  | 'updateCustomer'
  | 'createProduct'
  | 'updateProduct'
  | 'deleteProduct'
  | 'updateStock'
  | 'createOrder'
  | 'updateOrder'
  | 'deleteOrder'
  | 'updateDelivery'
  | 'splitDelivery'
  | 'returnOrder'
  | 'refundOrder'
  | 'updateRefund'
  | 'createPlain'
  | 'updatePlain'
  | 'deletePlain'
  | 'bulkCustomers'

export interface Attempt {
  status: number
  /** The body as it was sent, to compare the replies of retries. */
  text: string
}

/** A write by an app that makes one write at a time, so that its events belong to its writes in sequence. */
export interface Write {
  n: number
  app: string
  kind: WriteKind
  method: string
  path: string
  body: Json
  /** Kind of the resource that the write is about; null for a write about stock. */
  resource: string | null
  /** Its id; undefined until a creation has been answered. */
  id: string | undefined
  key: string | undefined
  isDryRun: boolean
  /** The write whose reply had the version that If-Match names. */
  ifMatch: { etag: string; from: number } | undefined
  start: number
  end: number
  outcome: 'ok' | 'refused' | 'unknown'
  status: number | undefined
  code: string | undefined
  reply: Json
  etag: string | undefined
  /** Every answer that carried its key. */
  attempts: Attempt[]
  /** Sent twice at the same time with one key. */
  isDoubled: boolean
}

export interface Read {
  path: string
  kind: string
  /** Of a single resource; undefined for a list. */
  id: string | undefined
  start: number
  end: number
  status: number
  /** The resource, or the resources of a list. */
  body: Json
  total: number | undefined
  /** The whole list fits on the page. */
  isWhole: boolean
}

export interface FeedEvent {
  id: string
  position: number
  type: string
  timestamp: string
  resource: { kind: string; id: string }
  changed: string[]
  previous: Record<string, Json>
  app: { id: string } | null
}

export interface Delivered {
  at: number
  position: number
  id: string
  resource: string
  isSigned: boolean
  isAccepted: boolean
  /** Other requests for the same resource were in progress. */
  isConcurrent: boolean
}

export interface History {
  seed: number
  store: string
  currency: string
  writes: Write[]
  reads: Read[]
  /** The feed, read when everything was over. */
  feed: FeedEvent[]
  /** The feeds as they were read meanwhile, by node. */
  followed: FeedEvent[][]
  /** Undefined when no webhook was made. */
  delivered: Delivered[] | undefined
  /** Every resource as its GET showed it when everything was over, by `kind:id`. */
  final: Record<string, Json>
  /** Replies that no request may get, and what strangers were shown. */
  complaints: { name: string; detail: string }[]
  faults: string[]
  seconds: number
}

export interface Anomaly {
  name: string
  detail: string
}
