import type pg from 'pg'
import type { Config } from '../config/config.ts'
import type { Blobs } from '../core/storage/blobs/blobs.ts'
import { openBlobs } from '../core/storage/blobs/open-blobs.ts'
import { connectDatabase, migrateOpen, withUntimedDatabase } from '../core/storage/connect.ts'
import type { Database, Db } from '../core/storage/database.ts'
import { askListeners } from '../core/storage/listener.ts'
import { OperatorError } from '../errors.ts'
import { ACCESS_CHANNEL } from '../resources/auth/access-cache.ts'
import { onStopSignals } from '../server/shutdown.ts'
import type { Input } from './arguments.ts'
import type { CommandIo } from './command-io.ts'

interface CommandContext {
  database: Database
  db: Db
  config: Config
  connection: pg.ClientConfig
  /** Aborted when the operator interrupts the command. */
  signal: AbortSignal
}

/** The first signal aborts, so that an embedded engine that we started is stopped. A second one, seconds later, exits. */
const abortOnSignals = () => {
  const controller = new AbortController()
  const done = onStopSignals(() => {
    if (controller.signal.aborted) process.exit(1)
    controller.abort(new OperatorError('Interrupted.'))
  })
  return { signal: controller.signal, done }
}

const CHANGES_ACCESS = /^((app|install|user|role|permission|plan) (?!list)|demo|store (remove|suspend|resume))/

/** Revoked access must be gone on every node when the command returns. */
const waitForAccess = async (database: Database) => {
  const client = await database.connect()
  try {
    await askListeners(client, ACCESS_CHANNEL)
  } finally {
    // Not back to the pool: it listens.
    client.release(true)
  }
}

export const YES = { yes: { about: 'Do not ask for confirmation.' } }

/** Asks for confirmation at the terminal, unless --yes is given. */
export const confirm = async (io: CommandIo, input: Input, action: string, what = 'This') => {
  if (input.has('yes')) return
  if (!io.ask) throw new OperatorError(`${action} ${what} cannot be undone: add --yes to do it.`)
  const answer = await io.ask(`${action} ${what} cannot be undone. Continue? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Nothing was changed.')
}

/** Connects to the configured database for one command, whether or not a server is running on it. */
export const withDatabase = async <T>(
  io: CommandIo,
  name: string,
  work: (context: CommandContext) => Promise<T>,
  { migrateFirst = true } = {},
): Promise<T> => {
  const config = io.config()
  const connected = await connectDatabase(config, { kind: 'command', name }, io.say)
  const { connection } = connected
  const { signal, done } = abortOnSignals()
  try {
    return await withUntimedDatabase(connection, name, async (database) => {
      // A command may run before the first start of the server.
      if (migrateFirst) await migrateOpen(database, connection)
      const result = await work({ database, db: database.db, config, connection, signal })
      if (CHANGES_ACCESS.test(name)) await waitForAccess(database)
      return result
    })
  } finally {
    await connected.close()
    done()
  }
}

/** Like `withDatabase`, with the storage of uploaded files. */
export const withBlobs = <T>(
  io: CommandIo,
  name: string,
  work: (context: CommandContext & { blobs: Blobs }) => Promise<T>,
  options: { migrateFirst?: boolean } = {},
): Promise<T> =>
  withDatabase(
    io,
    name,
    async (context) => {
      const blobs = await openBlobs(context.config)
      try {
        return await work({ ...context, blobs })
      } finally {
        blobs.close()
      }
    },
    options,
  )
