import { OperatorError } from '../errors.ts'
import { kinds } from '../kinds.ts'
import { buildMissingTexts } from '../reading/build-texts.ts'
import { createBackup } from '../storage/backup/backup.ts'
import { restoreBackup } from '../storage/backup/restore.ts'
import { migrate } from '../storage/migrate.ts'
import type { Command } from './arguments.ts'
import { withBlobs, withDatabase } from './command-context.ts'

/** Neither a backup, which is made before an upgrade, nor a restore, which brings its own schema, migrates first. */
const AS_IT_IS = { migrateFirst: false }

export const databaseCommands: readonly Command[] = [
  {
    name: 'migrate',
    summary: 'Brings the schema of the database up to date.',
    details: 'Every start of the service does the same; any number of them may run at once.',
    run: (_input, io) =>
      withDatabase(
        io,
        'migrate',
        async ({ db }) => {
          const applied = await migrate(db)
          const shown = applied.length > 0 ? `Applied ${applied.join(', ')}.\n` : 'The schema is up to date.\n'
          return { value: { applied }, shown }
        },
        AS_IT_IS,
      ),
  },
  {
    name: 'demo remove',
    summary: 'Deletes the demo store, all that is in it, its app and its credentials.',
    details: 'No start brings it back; `storefront-apps demo` does.',
    run: (_input, io) =>
      withBlobs(
        io,
        'demo remove',
        async ({ db, blobs, config }) => {
          const { removeDemo } = await import('../demo/remove.ts')
          const removed = await removeDemo(db, blobs, config.DATA_DIR)
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
    summary: 'Loads the demo store, if it is not there yet, and shows how to call it.',
    details: 'Where DEMO has shut its app out, this lets it in again, until a server starts that shuts it out.',
    run: (_input, io) =>
      withDatabase(io, 'demo', async ({ connection, config }) => {
        const { loadDemoOnce } = await import('../demo/load.ts')
        const credentials = await loadDemoOnce(connection, { ...config, DEMO: 'true' }, { again: true })
        if (!credentials) throw new OperatorError('This database has no demo store, and none could be loaded.')
        return { value: credentials, shown: { ...credentials } }
      }),
  },
  {
    name: 'backup',
    summary: 'Writes everything, rows and uploaded files, into one file.',
    details:
      'It shows the data as it stood at one moment, while the service goes on. The file appears once it is whole.\n' +
      'Not in it: TOKEN_SECRET, so tokens end where it is restored, and answers kept for an Idempotency-Key.',
    operands: [{ name: 'FILE', about: 'Where to: shop.backup, say.' }],
    options: { force: { about: 'Write over a FILE that exists.' } },
    run: (input, io) =>
      withBlobs(
        io,
        'backup',
        async (place) => {
          const report = await createBackup({ ...place, say: io.say }, input.text('FILE'), {
            force: input.has('force'),
          })
          return { value: report, shown: { ...report }, ...noteMissing(report.blobs_missing) }
        },
        AS_IT_IS,
      ),
  },
  {
    name: 'restore',
    summary: 'Fills an empty database with a backup, wherever that was made.',
    details:
      'The database may be embedded or external, and must hold no stores and no apps yet. All of the backup comes in,\n' +
      'or nothing. A backup of an older release is brought up to date.',
    operands: [{ name: 'FILE', about: 'What storefront-apps backup wrote.' }],
    run: (input, io) =>
      withBlobs(
        io,
        'restore',
        async (place) => {
          const report = await restoreBackup({ ...place, say: io.say }, input.text('FILE'))
          await buildMissingTexts(place.database.db, kinds, io.say)
          return { value: report, shown: { ...report }, ...noteMissing(report.blobs_missing) }
        },
        AS_IT_IS,
      ),
  },
]

const noteMissing = (count: number) =>
  count > 0 ? { note: `The bytes of ${count} files were missing where the backup was made.` } : {}
