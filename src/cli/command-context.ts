import type pg from 'pg'
import { ACCESS_CHANNEL } from '../auth/access-cache.ts'
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors.ts'
import { onStopSignals } from '../server/shutdown.ts'
import { type Blobs, openBlobs } from '../storage/blobs/blobs.ts'
import { connectDatabase, migrateDatabase, withUntimedDatabase } from '../storage/connect.ts'
import type { Database, Db } from '../storage/database.ts'
import { waitForListeners } from '../storage/listener.ts'
import type { Input } from './arguments.ts'

/** Where a command runs: its settings, and where its words go. */
export interface CommandIo {
  /** Throws a ConfigError that names every bad setting. */
  config(): Config
  /** The result, on standard output. */
  print(text: string): Promise<void>
  /** Progress and errors, on standard error. */
  say(line: string): void
  /** Asks the person at the terminal; not there when nobody is. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Whether the result is read on a screen that shows colours. */
  colours?: boolean
}

export interface CommandContext {
  database: Database
  db: Db
  config: Config
  connection: pg.ClientConfig
  /** Says that the operator wants to stop. */
  signal: AbortSignal
}

/** A first signal asks for an orderly end, since the engine may be ours to stop; a second one, seconds later, does not wait. */
const abortOnSignals = () => {
  const controller = new AbortController()
  const done = onStopSignals(() => {
    if (controller.signal.aborted) process.exit(1)
    controller.abort(new OperatorError('Interrupted.'))
  })
  return { signal: controller.signal, done }
}

const CHANGES_ACCESS = /^((app|install) (?!list)|demo|store remove)/

export const YES = { yes: { about: 'Do it without asking.' } }

/** What cannot be undone is done only when somebody says so: at the terminal, or with --yes. */
export const confirm = async (io: CommandIo, input: Input, deed: string) => {
  if (input.has('yes')) return
  if (!io.ask) throw new OperatorError(`${deed} This cannot be undone: add --yes to do it.`)
  const answer = await io.ask(`${deed} This cannot be undone. Go on? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Nothing was changed.')
}

/** The configured database for the time of one command, whether or not a server runs on it. */
export const withDatabase = async <T>(
  io: CommandIo,
  name: string,
  work: (place: CommandContext) => Promise<T>,
  { migrateFirst = true } = {},
): Promise<T> => {
  const config = io.config()
  const reached = await connectDatabase(config, { kind: 'command', name }, io.say)
  const { connection } = reached
  const { signal, done } = abortOnSignals()
  try {
    // The first command may come before the first start.
    if (migrateFirst) await migrateDatabase(connection)
    const result = await withUntimedDatabase(connection, name, (database) =>
      work({ database, db: database.db, config, connection, signal }),
    )
    // Whoever was shut out is out on every node when the command returns.
    if (CHANGES_ACCESS.test(name)) await waitForListeners(connection, ACCESS_CHANNEL)
    return result
  } finally {
    await reached.close()
    done()
  }
}

/** The same with the place of uploaded files. */
export const withBlobs = <T>(
  io: CommandIo,
  name: string,
  work: (place: CommandContext & { blobs: Blobs }) => Promise<T>,
  options: { migrateFirst?: boolean } = {},
): Promise<T> =>
  withDatabase(
    io,
    name,
    async (place) => {
      const blobs = await openBlobs(place.config)
      try {
        return await work({ ...place, blobs })
      } finally {
        blobs.close()
      }
    },
    options,
  )
