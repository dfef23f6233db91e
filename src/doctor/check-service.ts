import { type Config, settings } from '../config/config.ts'
import type { Kinds } from '../core/reading/texts.ts'
import { databaseAddress } from '../core/storage/connect.ts'
import type { Db } from '../core/storage/database.ts'
import type { FileUrls } from '../resources/files/file-urls.ts'
import { checkDatabase, type TextsToCheck } from './check-database.ts'
import { checkDistribution } from './check-distribution.ts'
import { checkAddress, checkBlobs, checkDisk } from './check-machine.ts'
import { checkReplicas } from './check-replicas.ts'
import type { Finding } from './finding.ts'

export const describeSettings = ({ warnings }: Config): Finding[] => [
  { check: 'settings', state: 'ok', found: `All ${Object.keys(settings).length} can be read.` },
  ...warnings.map((found): Finding => ({ check: 'settings', state: 'note', found })),
]

export const placeOfDatabase = ({ DATABASE_URL, DATA_DIR }: Config) =>
  DATABASE_URL ? databaseAddress(DATABASE_URL) : `embedded, in ${DATA_DIR}`

/** The database that answers, and those that follow it or belong to it. */
export const checkConnected = async (
  db: Db,
  config: Config,
  kinds: Kinds<FileUrls>,
  texts: TextsToCheck,
): Promise<Finding[]> => [
  { check: 'database', state: 'ok', found: `Answers: ${placeOfDatabase(config)}.` },
  ...(await checkDatabase(db, config, kinds, texts)),
  ...(await checkReplicas(config, db)),
  ...(await checkDistribution(db)),
]

/** All checks, by the service itself. A sample of the texts is compared; nothing is repaired. */
export const checkService = async (db: Db, config: Config, kinds: Kinds<FileUrls>): Promise<Finding[]> => [
  ...describeSettings(config),
  await checkDisk(config),
  ...(await checkConnected(db, config, kinds, { all: false, repair: false })),
  await checkBlobs(config),
  ...(await checkAddress(config)),
]
