import { isUuid } from '../input/uuid.ts'
import { isTraceparent } from '../tracing.ts'

/** Commands without a result. */
const COMMAND = /^(?:begin|start transaction |set local )/
const SETTING = 'set local '

const begins = (statement: string) => statement === 'begin' || statement.startsWith('start transaction ')
const ends = (statement: string) => statement === 'commit' || statement === 'rollback'

/** Who changes are attributed to: capture_changes() in schema/events.sql, stock_change. */
export interface Author {
  app: string | undefined
  /** The person on whose behalf the console or an assistant calls. */
  account?: string | undefined
  via?: 'assistant' | undefined
  /** The trace of the request, as a `traceparent`. */
  trace?: string | undefined
}

const set = (name: string, id: string | undefined) =>
  id && isUuid(id) ? [`${SETTING}storefront.${name} = '${id}'`] : []
const attributeTo = (author: Author | undefined) => [
  ...set('app', author?.app),
  ...set('account', author?.account),
  ...(author?.via ? [`${SETTING}storefront.via = '${author.via}'`] : []),
  ...(author?.trace && isTraceparent(author.trace) ? [`${SETTING}storefront.trace = '${author.trace}'`] : []),
]

/**
 * The commands that begin a connection's transaction and set its settings. They wait for the next statement and are sent
 * together with it, so that they need no round trip of their own.
 */
export class TransactionCommands {
  isOpen = false
  #waiting: string[] = []

  /** Whether nothing needs to be sent: the command waits, or ends a transaction of which nothing was sent. */
  absorb(statement: string, canWait: boolean, author: Author | undefined): boolean {
    if (begins(statement)) this.isOpen = true
    if (ends(statement)) return this.#end()
    if (!canWait || !this.isOpen || !COMMAND.test(statement)) return false
    this.#waiting.push(statement, ...(statement === 'begin' ? attributeTo(author) : []))
    return true
  }

  /** The commands to send before the next statement. */
  take(): string[] {
    const commands = this.#waiting
    if (commands.length > 0) this.#waiting = []
    return commands
  }

  #end() {
    this.isOpen = false
    const [first] = this.take()
    return first !== undefined && !first.startsWith(SETTING)
  }
}
