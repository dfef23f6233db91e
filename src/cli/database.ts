import path from 'node:path'
import { buildMissingTexts } from '../core/reading/build-texts.ts'
import { createBackup } from '../core/storage/backup/backup.ts'
import { restoreBackup } from '../core/storage/backup/restore.ts'
import { DEFAULT_SHARDS, distribute } from '../core/storage/distribute.ts'
import { migrate } from '../core/storage/migrate.ts'
import { OperatorError } from '../errors.ts'
import { readPhones } from '../resources/orders/read-phones.ts'
import type { Command } from './arguments.ts'
import { withBlobs, withDatabase } from './command-context.ts'
import { recordCommand } from './recorded.ts'

/** A backup is made before an upgrade, and a restore brings its own schema, so neither migrates first. */
const AS_IT_IS = { migrateFirst: false }

const MAX_SHARDS = 1_024

const readShards = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_SHARDS
  const shards = Number(text)
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS)
    throw new OperatorError(`--shards must be a whole number from 1 to ${MAX_SHARDS}.`)
  return shards
}

export const databaseCommands: readonly Command[] = [
  {
    name: 'migrate',
    summary: 'Applies pending database migrations.',
    details: 'The server does the same at every start. Running several at once is safe.',
    run: (_input, io) =>
      withDatabase(
        io,
        'migrate',
        async ({ db }) => {
          const applied = await migrate(db)
          if (applied.length > 0) await recordCommand(db, 'migrate', { applied })
          const shown = applied.length > 0 ? `Applied ${applied.join(', ')}.\n` : 'The schema is up to date.\n'
          return { value: { applied }, shown }
        },
        AS_IT_IS,
      ),
  },
  {
    name: 'distribute',
    summary: 'Distributes the database over the workers of a Citus cluster.',
    details:
      'All or nothing. DATABASE_URL names the coordinator; every node needs the extension citus.\n' +
      'Running it again, which the service may go on during, adapts shards that were moved or split.',
    options: { shards: { value: 'N', about: `How many shards stores are spread over (default ${DEFAULT_SHARDS}).` } },
    run: ({ optional }, io) =>
      withDatabase(io, 'distribute', async ({ db }) => {
        const tables = await distribute(db, readShards(optional('shards')))
        if (tables.length > 0) await recordCommand(db, 'distribute', { tables })
        const shown =
          tables.length > 0 ? `Distributed ${tables.length} tables.\n` : 'All tables are distributed already.\n'
        return { value: { distributed: tables }, shown }
      }),
  },
  {
    name: 'demo remove',
    summary: 'Deletes the demo store with its data, its app and its credentials.',
    details: 'The server does not load it again; `storefront-apps demo` does.',
    run: (_input, io) =>
      withBlobs(
        io,
        'demo remove',
        async ({ db, blobs, config }) => {
          const [{ removeDemo }, { STORE }] = await Promise.all([
            import('../demo/remove.ts'),
            import('../demo/store.ts'),
          ])
          const removed = await removeDemo(db, blobs, config.DATA_DIR)
          if (removed.store) await recordCommand(db, 'demo remove', { files: removed.files }, STORE.id)
          const shown = removed.store
            ? `Deleted the demo store, its app and ${removed.files} files.\n`
            : 'There is no demo store.\n'
          return { value: removed, shown }
        },
        AS_IT_IS,
      ),
  },
  {
    name: 'demo',
    summary: 'Loads the demo store, unless it exists, and shows its credentials.',
    details: 'Enables its app if the DEMO setting has disabled it, until a server with that setting starts again.',
    run: (_input, io) =>
      withDatabase(io, 'demo', async ({ db, connection, config }) => {
        const [{ kinds }, { loadDemoOnce }, { APP, STORE }] = await Promise.all([
          import('../app.ts'),
          import('../demo/load.ts'),
          import('../demo/store.ts'),
        ])
        const isOn = async () =>
          db.selectFrom('app').select('id').where('id', '=', APP.id).where('disabled_at', 'is', null).executeTakeFirst()
        const before = await isOn()
        const credentials = await loadDemoOnce(connection, { ...config, DEMO: 'true' }, kinds, { again: true })
        if (!credentials) throw new OperatorError('This database has no demo store, and none could be loaded.')
        if (!before) await recordCommand(db, 'demo', {}, STORE.id)
        return { value: credentials, shown: { ...credentials } }
      }),
  },
  {
    name: 'backup',
    summary: 'Writes all data and uploaded files into one file.',
    details:
      'The backup is a consistent snapshot; the server keeps running. The file appears once it is complete.\n' +
      'It does not contain TOKEN_SECRET, so tokens are not valid where it is restored, nor replies stored for idempotency.',
    operands: [{ name: 'FILE', about: 'File to write, such as shop.backup.' }],
    options: { force: { about: 'Overwrite an existing FILE.' } },
    run: (input, io) =>
      withBlobs(
        io,
        'backup',
        async (context) => {
          const report = await createBackup({ ...context, say: io.say }, input.text('FILE'), {
            force: input.has('force'),
          })
          return { value: report, shown: { ...report }, ...warnOfMissing(report.blobs_missing) }
        },
        AS_IT_IS,
      ),
  },
  {
    name: 'restore',
    summary: 'Restores a backup into an empty database.',
    details:
      'The database may be embedded or external, and must not have any stores or apps. The restore is all or nothing.\n' +
      'A backup of an older release is migrated.',
    operands: [{ name: 'FILE', about: 'File written by storefront-apps backup.' }],
    run: (input, io) =>
      withBlobs(
        io,
        'restore',
        async (context) => {
          const report = await restoreBackup({ ...context, say: io.say }, input.text('FILE'))
          const { kinds } = await import('../app.ts')
          await readPhones(context.database.db, io.say)
          await buildMissingTexts(context.database.db, kinds, io.say)
          await recordCommand(context.database.db, 'restore', { file: path.basename(input.text('FILE')) })
          return { value: report, shown: { ...report }, ...warnOfMissing(report.blobs_missing) }
        },
        AS_IT_IS,
      ),
  },
]

const warnOfMissing = (count: number) =>
  count > 0 ? { note: `The content of ${count} files was missing when the backup was made.` } : {}
