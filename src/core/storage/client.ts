import pg from 'pg'
import { tracer } from '../tracing.ts'
import { cancelStatement } from './cancel-statement.ts'
import { type DatabaseCaller, databaseCaller } from './database-caller.ts'
import {
  DatabaseUnavailableError,
  type DatabaseWatchdog,
  type GiveUpReason,
  WorkerUnavailableError,
} from './database-watchdog.ts'
import { isDistributed } from './distributed.ts'
import { createFairQueue } from './fair-queue.ts'
import { ClusterClient } from './hosts.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { limitResults, MAX_RESULT_BYTES } from './result-limit.ts'
import { traceStatement } from './statement-traces.ts'
import { TransactionCommands } from './transaction-commands.ts'

type Reply = Promise<pg.QueryResult>

/** Missing from pg's type declarations: the statements it has prepared on this connection. */
interface Prepared {
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
}

/** Bounds memory: few connections may read a large result at the same time. */
const largeResults = createFairQueue({ slots: 2 })
const enterLargeResult = (caller: DatabaseCaller | undefined) =>
  largeResults.enter([{ key: caller?.installation ?? 'service', max: 1 }])

/** A demoted primary or a standby: the next connection may reach the new primary. */
const READ_ONLY = '25006'

/** PostgreSQL gave up waiting for a synchronous standby. It reports COMMIT, but a failover may lose the transaction. */
const isUnreplicated = ({ routine }: { routine?: string | undefined }) => routine === 'SyncRepWaitForLSN'

/**
 * First byte of an error message. A pooler greets clients, and reports errors, without PostgreSQL: neither shows that the
 * database is there.
 */
const ERROR_RESPONSE = 0x45

/** What a command resolves to before it is sent. */
const NO_RESULT = { command: '', rowCount: null, oid: 0, fields: [], rows: [] } satisfies pg.QueryResult

export interface ClientOptions {
  prepare: boolean
  /** Undefined for commands: their statements have no limits of time or size. */
  watchdog: DatabaseWatchdog | undefined
  /** For a standby: retries a failed statement on the primary, if that can help. */
  runElsewhere?: ((error: unknown, text: string, values: unknown[] | undefined) => Reply | undefined) | undefined
}

/** Extends pg's client with a bounded cache of prepared statements, a result size limit and the watchdog. */
export const clientClass = ({ prepare, watchdog, runElsewhere }: ClientOptions): typeof pg.Client =>
  class extends ClusterClient {
    /** On whose behalf the current statement runs. */
    #caller: DatabaseCaller | undefined
    /** Whether the current statement was committed on one machine only. */
    #unreplicated = false
    #isLoggedIn = false
    readonly #transaction = new TransactionCommands()
    readonly #prepared = new PreparedStatements((name) => this.#closeStatement(name))

    constructor(config?: string | pg.ClientConfig) {
      super(config)
      // The pending query reports a lost connection. Without a listener, the event would end the process.
      this.on('error', () => {})
      this.on('notice', (notice) => {
        if (isUnreplicated(notice)) this.#unreplicated = true
      })
      if (watchdog && !runElsewhere) this.mustWrite = true
      this.connection.once('readyForQuery', () => {
        this.#isLoggedIn = true
      })
      limitResults(
        this.connection,
        watchdog
          ? {
              maxBytes: MAX_RESULT_BYTES,
              onData: (chunk) => {
                if (this.#isLoggedIn && chunk[0] !== ERROR_RESPONSE) watchdog.answered()
              },
              enterLargeResult: () => enterLargeResult(this.#caller),
            }
          : { maxBytes: Number.POSITIVE_INFINITY },
      )
    }

    // biome-ignore lint/suspicious/noExplicitAny: pg declares a dozen overloads; only the promise form is used here.
    override query(statement: any, values?: any): any {
      if (typeof statement !== 'string') return this.#send(() => super.query(statement, values) as unknown as Reply)
      const caller = databaseCaller.getStore()
      if (this.#transaction.absorb(statement, this.pipeline, caller)) return Promise.resolve(NO_RESULT)
      return tracer
        ? traceStatement(statement, () => this.#run(statement, values, caller))
        : this.#run(statement, values, caller)
    }

    #run(statement: string, values: unknown[] | undefined, caller: DatabaseCaller | undefined): Reply {
      const name = prepare && values ? this.#prepared.nameOf(statement) : undefined
      const answer = this.#send(() => this.#submit(name, statement, values))
      if (!watchdog) return answer
      return this.#watched(watchdog, answer, caller, (error) => runElsewhere?.(error, statement, values))
    }

    /** The answer, unless the watchdog gives up waiting for it, or another database can give it. */
    #watched(
      watchdog: DatabaseWatchdog,
      answer: Reply,
      caller: DatabaseCaller | undefined,
      askElsewhere: (error: unknown) => Reply | undefined,
    ): Reply {
      this.#caller = caller
      let dropped: Promise<never> | undefined
      const giveUp = (reason: GiveUpReason) => {
        dropped = this.#giveUp(reason)
        dropped.catch(() => {})
      }
      const watch = watchdog.watch(giveUp, caller)
      return answer.then(
        (result) => {
          watch.done()
          if (this.#unreplicated) giveUp(new DatabaseUnavailableError('No standby has confirmed the transaction.'))
          return dropped ?? result
        },
        (error) => {
          watch.done()
          // The cancelled statement's error arrives first. The connection must be closed before the pool reuses it.
          if (error.code === READ_ONLY) {
            this.forgetHost()
            giveUp(new DatabaseUnavailableError('The database is read-only.'))
          }
          const elsewhere = this.#transaction.isOpen ? undefined : askElsewhere(error)
          if (elsewhere) return elsewhere
          if (dropped) return dropped
          throw error
        },
      )
    }

    /** As pg does for an object with the name, whose properties it would copy one by one: a twentieth of a read. */
    #submit(name: string | undefined, text: string, values: unknown[] | undefined): Reply {
      const answer = new Promise<pg.QueryResult>((resolve, reject) => {
        const done = (error: Error | null | undefined, result: unknown) =>
          error ? reject(error) : resolve(result as pg.QueryResult)
        super.query(Object.assign(new pg.Query(text, values, done), { name }))
      })
      return answer.catch((error) => {
        // Its own stack leads to the socket, this one to the caller.
        Error.captureStackTrace(error)
        throw error
      })
    }

    /** Sends the commands that wait for a statement, and the statement. */
    #send(send: () => Reply): Reply {
      const waiting = this.#transaction.take()
      if (waiting.length === 0) return send()
      // Citus passes the whole text of a message on to the workers, which have begun a transaction themselves.
      const commands = isDistributed() ? waiting : [waiting.join('; ')]
      const done = Promise.all(commands.map((command) => super.query(command)))
      const answer = send()
      // Reported below, unless a command failed first.
      answer.catch(() => {})
      return done.then(() => answer)
    }

    /**
     * Frees the memory of a prepared statement, without a round trip: the reply to the next statement confirms it. pg has no
     * public way to forget one, and would keep the text of each as long as the connection.
     */
    #closeStatement(name: string) {
      this.connection.close({ type: 'S', name }, true)
      const { parsedStatements, submittedNamedStatements } = this.connection as unknown as Prepared
      delete parsedStatements[name]
      delete submittedNamedStatements[name]
    }

    /** Cancels the statement and closes the connection: the next caller would have to wait behind it. */
    async #giveUp(reason: GiveUpReason): Promise<never> {
      const { stream } = this.connection
      if (!(reason instanceof DatabaseUnavailableError)) await cancelStatement(this)
      if (reason instanceof WorkerUnavailableError) void cancelStatement(this)
      if (!stream.closed) {
        const closed = new Promise((resolve) => stream.once('close', resolve))
        stream.destroy(reason)
        await closed
      }
      throw reason
    }
  }
