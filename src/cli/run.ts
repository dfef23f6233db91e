import { ConfigError } from '../config/config.ts'
import { PROGRAM, readVersion } from '../config/project.ts'
import { DatabaseFault } from '../core/storage/database-fault.ts'
import { ApiError, OperatorError } from '../errors.ts'
import { appCommands } from './apps.ts'
import { type Command, commandHelp, commandList, generalHelp, readInput, UsageError } from './arguments.ts'
import { auditCommands } from './audit.ts'
import { bulkCommands } from './bulk.ts'
import { callCommands } from './calls.ts'
import { carrierCommands } from './carriers.ts'
import { categoryCommands } from './categories.ts'
import type { CommandIo } from './command-io.ts'
import { jsonText, resultText } from './command-result.ts'
import { databaseCommands } from './database.ts'
import { doctorCommand } from './doctor.ts'
import { domainCommands } from './domains.ts'
import { eventCommands } from './events.ts'
import { installCommands } from './installs.ts'
import { listenCommand } from './listen.ts'
import { paymentMethodCommands } from './payment-methods.ts'
import { planCommands } from './plans.ts'
import { policyCommands } from './policies.ts'
import { roleCommands } from './roles.ts'
import { serveCommand } from './serve-command.ts'
import { storeCommands } from './stores.ts'
import { userCommands } from './users.ts'
import { webhookCommands } from './webhooks.ts'

export const COMMANDS: readonly Command[] = [
  serveCommand,
  ...databaseCommands,
  doctorCommand,
  ...storeCommands,
  ...appCommands,
  ...installCommands,
  ...userCommands,
  ...roleCommands,
  ...categoryCommands,
  ...carrierCommands,
  ...paymentMethodCommands,
  ...domainCommands,
  ...policyCommands,
  ...planCommands,
  ...callCommands,
  ...auditCommands,
  ...eventCommands,
  listenCommand,
  ...webhookCommands,
  ...bulkCommands,
]

const wantsHelp = (args: readonly string[]) => {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h')
}

const inGroup = (word: string) => COMMANDS.filter(({ name }) => name.startsWith(`${word} `))

const choose = (args: readonly string[]): { command: Command; rest: readonly string[] } => {
  const [first = '', second = ''] = args
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`)
  if (command) return { command, rest: args.slice(command.name.split(' ').length) }
  const group = inGroup(first)
  const choices = group.map(({ name }) => name).join(', ')
  if (!first || first.startsWith('-')) throw new UsageError(first ? `Unknown option '${first}'.` : 'Missing: COMMAND.')
  if (group.length === 0) throw new UsageError(`There is no command ${first}.`)
  throw new UsageError(
    second && !second.startsWith('-')
      ? `There is no command ${first} ${second}: there is ${choices}.`
      : `Choose one of ${choices}.`,
  )
}

const help = (args: readonly string[]): string => {
  const [first = '--help'] = args
  if (first.startsWith('-')) return generalHelp(COMMANDS)
  const group = inGroup(first)
  const isGroupOnly = !args[1] || args[1].startsWith('-')
  if (group.length === 0 || !isGroupOnly) return commandHelp(choose(args).command)
  // A group may have a command of the same name.
  const own = COMMANDS.find(({ name }) => name === first)
  return own ? `${commandHelp(own)}\n${commandList(group)}\n` : generalHelp(group)
}

const explain = (error: unknown, args: readonly string[]): string => {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ConfigError) return `Invalid settings:\n${error.message}`
  // The message of Node's AggregateError, for several failed connections, is empty.
  const message = error.message || String((error as { code?: unknown }).code ?? error.name)
  if (error instanceof ApiError && Object.keys(error.fields).length > 0)
    return Object.entries(error.fields)
      .map(([field, problems]) => `${field} ${problems.join(', ')}.`)
      .join('\n')
  if (error instanceof DatabaseFault) return `${message}\n→ ${error.fix}`
  if (!(error instanceof UsageError)) return message
  return `${message} See ${[PROGRAM, ...helpTopic(args), '--help'].join(' ')}.`
}

/** The command or group to name before --help in an error message. */
const helpTopic = (args: readonly string[]): readonly string[] => {
  const command = COMMANDS.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `))
  if (command) return [command.name]
  return args.slice(0, 1).filter((word) => inGroup(word).length > 0)
}

/** Runs one command line and returns its exit code. */
export const runCommandLine = async (args: readonly string[], io: CommandIo): Promise<number> => {
  try {
    if (wantsHelp(args) || args[0] === 'help') {
      await io.print(help(args[0] === 'help' ? args.slice(1) : args))
      return 0
    }
    if (args[0] === '--version') {
      const version = readVersion()
      await io.print(args.includes('--json') ? jsonText({ value: { version } }) : `${PROGRAM} ${version}\n`)
      return 0
    }
    const { command, rest } = choose(args)
    const input = readInput(command, rest)
    const result = await command.run(input, io)
    const json = input.has('json')
    if (!result.printed) await io.print(json ? jsonText(result) : resultText(result))
    if (result.note && !json) io.say(result.note)
    return result.failed ? 1 : 0
  } catch (error) {
    io.say(explain(error, args))
    if (process.env.LOG_LEVEL === 'debug' && error instanceof Error && !(error instanceof OperatorError))
      io.say(error.stack ?? '')
    return 1
  }
}
