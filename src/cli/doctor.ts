import { type Config, ConfigError } from '../config/config.ts'
import { connectDatabase, withUntimedDatabase } from '../core/storage/connect.ts'
import { DatabaseFault } from '../core/storage/database-fault.ts'
import type { TextsToCheck } from '../doctor/check-database.ts'
import { checkAddress, checkBlobs, checkDisk } from '../doctor/check-machine.ts'
import { checkConnected, describeSettings } from '../doctor/check-service.ts'
import type { Finding } from '../doctor/finding.ts'
import type { Command } from './arguments.ts'
import type { CommandIo } from './command-io.ts'
import { recordCommand } from './recorded.ts'

const REACH_MS = 4_000

const readSettings = (io: CommandIo): { config?: Config; findings: Finding[] } => {
  try {
    const config = io.config()
    return { config, findings: describeSettings(config) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const fix = 'Correct it in the environment or in .env, then run doctor again for the other checks.'
    const findings = error.message
      .split('\n')
      .map((found): Finding => ({ check: 'settings', state: 'fault', found, fix }))
    return { findings }
  }
}

const howToReach = ({ DATABASE_URL }: Config) =>
  DATABASE_URL
    ? 'Start that PostgreSQL, or correct the host, port, user, password and database in DATABASE_URL.'
    : 'The message above says why the embedded PostgreSQL does not start. DATA_DIR must be writable and on a local disk.'

const checkDatabaseConnection = async (config: Config, io: CommandIo, texts: TextsToCheck): Promise<Finding[]> => {
  const { kinds } = await import('../app.ts')
  try {
    const connected = await connectDatabase(config, { kind: 'command', name: 'doctor' }, io.say, REACH_MS)
    try {
      return await withUntimedDatabase(connected.connection, 'doctor', async ({ db }) => {
        const findings = await checkConnected(db, config, kinds, texts)
        const repaired = texts.repair ? findings.flatMap(({ repairs = [] }) => repairs) : []
        if (repaired.length > 0) await recordCommand(db, 'doctor --repair', { repaired })
        return findings
      })
    } finally {
      await connected.close()
    }
  } catch (error) {
    const { message, name } = error as Error
    const fix = error instanceof DatabaseFault ? error.fix : howToReach(config)
    return [{ check: 'database', state: 'fault', found: message || name, fix }]
  }
}

const runChecks = async (io: CommandIo, texts: TextsToCheck): Promise<Finding[]> => {
  const { config, findings } = readSettings(io)
  if (!config) return findings
  // In sequence: the embedded engine creates DATA_DIR, and a full disk explains the findings after it.
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
  const verdict = faults === 0 ? 'No faults found.' : faults === 1 ? '1 fault found.' : `${faults} faults found.`
  return `${[...lines, '', verdict].join('\n')}\n`
}

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Checks everything the service needs to run, and explains how to fix what is wrong.',
  details:
    'Changes nothing without --repair, except that it creates an embedded database if there is none.\n' +
    'The exit code is 1 if it finds a fault.',
  options: {
    all: { about: 'Compare every kept text with its rows, not only a sample.' },
    repair: { about: 'Rewrite kept texts that are missing or wrong.' },
  },
  run: async (input, io) => {
    const findings = await runChecks(io, { all: input.has('all'), repair: input.has('repair') })
    const healthy = findings.every(({ state }) => state !== 'fault')
    return { value: { healthy, findings }, shown: report(findings, io.colours ?? false), failed: !healthy }
  },
}
