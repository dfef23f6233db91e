import { type Config, ConfigError, settings } from '../config/config.ts'
import { connectDatabase, databaseAddress, withUntimedDatabase } from '../storage/connect.ts'
import { DatabaseFault } from '../storage/database-fault.ts'
import type { Command } from './arguments.ts'
import type { CommandIo } from './command-context.ts'
import { checkDatabase, type TextsToCheck } from './doctor-database.ts'
import { checkAddress, checkBlobs, checkDisk } from './doctor-machine.ts'

/** What one look found: all right, worth knowing, or in the way of the service. */
export interface Finding {
  check: string
  state: 'ok' | 'note' | 'fault'
  found: string
  /** What to do about it, in words. */
  fix?: string
}

const REACH_MS = 4_000

const readSettings = (io: CommandIo): { config?: Config; findings: Finding[] } => {
  try {
    const config = io.config()
    return {
      config,
      findings: [
        { check: 'settings', state: 'ok', found: `All ${Object.keys(settings).length} can be read.` },
        ...config.warnings.map((found): Finding => ({ check: 'settings', state: 'note', found })),
      ],
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const fix = 'Put it right in the environment or in .env, then ask the doctor again for the rest.'
    const findings = error.message
      .split('\n')
      .map((found): Finding => ({ check: 'settings', state: 'fault', found, fix }))
    return { findings }
  }
}

const howToReach = ({ DATABASE_URL }: Config) =>
  DATABASE_URL
    ? 'Start that PostgreSQL, or put host, port, user, password and database of DATABASE_URL right.'
    : 'The message above says what stops the embedded PostgreSQL; DATA_DIR must be writable and on a local disk.'

const checkDatabaseConnection = async (config: Config, io: CommandIo, texts: TextsToCheck): Promise<Finding[]> => {
  const where = config.DATABASE_URL ? databaseAddress(config.DATABASE_URL) : `embedded, in ${config.DATA_DIR}`
  try {
    const reached = await connectDatabase(config, { kind: 'command', name: 'doctor' }, io.say, REACH_MS)
    try {
      const findings = await withUntimedDatabase(reached.connection, 'doctor', ({ db }) =>
        checkDatabase(db, config, texts),
      )
      return [{ check: 'database', state: 'ok', found: `Answers: ${where}.` }, ...findings]
    } finally {
      await reached.close()
    }
  } catch (error) {
    const { message, name } = error as Error
    const fix = error instanceof DatabaseFault ? error.fix : howToReach(config)
    return [{ check: 'database', state: 'fault', found: message || name, fix }]
  }
}

export const runChecks = async (io: CommandIo, texts: TextsToCheck): Promise<Finding[]> => {
  const { config, findings } = readSettings(io)
  if (!config) return findings
  // One after the other: the embedded engine makes DATA_DIR, and a disk that is full explains what follows.
  findings.push(await checkDisk(config))
  findings.push(...(await checkDatabaseConnection(config, io, texts)))
  findings.push(await checkBlobs(config))
  findings.push(...(await checkAddress(config)))
  return findings
}

const SIGNS = { ok: ['✓', 32], note: ['!', 33], fault: ['✗', 31] } as const

const report = (findings: readonly Finding[], colours: boolean): string => {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, state, found, fix }) => {
    const [sign, colour] = SIGNS[state]
    const first = `${colours ? `\u001b[${colour}m${sign}\u001b[0m` : sign} ${check.padEnd(width)}  ${found}`
    return fix ? [first, `${' '.repeat(width + 4)}→ ${fix}`] : [first]
  })
  const faults = findings.filter(({ state }) => state === 'fault').length
  const verdict = faults === 0 ? 'Nothing is in the way.' : `${faults} to put right.`
  return `${[...lines, '', verdict].join('\n')}\n`
}

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Looks for what keeps the service from running, and says how to put it right.',
  details:
    'Nothing is changed without --repair, except that an embedded database is made if there is none. Exit code 1 if a ' +
    'fault is found.',
  options: {
    all: { about: 'Compare every kept text with its rows, and not only a sample.' },
    repair: { about: 'Write the kept texts anew that are missing or wrong.' },
  },
  run: async (input, io) => {
    const findings = await runChecks(io, { all: input.has('all'), repair: input.has('repair') })
    const healthy = findings.every(({ state }) => state !== 'fault')
    return { value: { healthy, findings }, shown: report(findings, io.colours ?? false), failed: !healthy }
  },
}
