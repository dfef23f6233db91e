import { parseArgs } from 'node:util'
import { PROGRAM } from '../config/project.ts'
import { OperatorError } from '../errors.ts'
import type { CommandIo } from './command-io.ts'
import type { Result } from './command-result.ts'

export interface Option {
  about: string
  /** Placeholder for the value in the help. An option without one is a flag. */
  value?: string
  required?: boolean
  /** May be repeated, and takes every argument up to the next option. */
  many?: boolean
}

interface Operand {
  name: string
  about: string
  many?: boolean
}

export interface Command {
  /** One word, or a group and a word: `store create`. */
  name: string
  summary: string
  /** Shown in the help of the command below the summary. */
  details?: string
  operands?: readonly Operand[]
  options?: Readonly<Record<string, Option>>
  run(input: Input, io: CommandIo): Promise<Result>
}

/** The command line is not valid. */
export class UsageError extends OperatorError {}

const GENERAL: Record<string, Option> = {
  json: { about: 'Print one JSON value instead of a table.' },
  help: { about: 'Show this help.' },
}

/** The arguments of a command: options and operands by name. */
export class Input {
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values
  }

  text = (name: string): string => this.#values.get(name)?.[0] ?? ''
  optional = (name: string): string | undefined => this.#values.get(name)?.[0]
  list = (name: string): readonly string[] => this.#values.get(name) ?? []
  has = (name: string): boolean => this.#values.has(name)
}

const tokenize = (command: Command, args: readonly string[]) => {
  const options = Object.entries({ ...command.options, ...GENERAL }).map(
    ([name, { value, many }]) => [name, { type: value ? 'string' : 'boolean', multiple: many ?? false }] as const,
  )
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options), allowPositionals: true, tokens: true })
      .tokens
  } catch (error) {
    // The rest of Node's message explains how to pass a value that starts with a dash.
    throw new UsageError((error as Error).message.replace(/'\. To specify a positional.*/s, "'."))
  }
}

const nameOperands = (operands: readonly Operand[], args: readonly string[], values: Map<string, string[]>) => {
  const rest = [...args]
  for (const { name, many } of operands) {
    const taken = rest.splice(0, many ? rest.length : 1)
    if (taken.length > 0) values.set(name, taken)
  }
  if (rest.length > 0) throw new UsageError(`Unexpected argument: ${rest.join(' ')}.`)
}

const requireAll = ({ options = {}, operands = [] }: Command, values: ReadonlyMap<string, string[]>) => {
  const missing = [
    ...operands.filter(({ name }) => !values.has(name)).map(({ name }) => name),
    ...Object.entries(options).flatMap(([name, { required }]) => (required && !values.has(name) ? [`--${name}`] : [])),
  ]
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(', ')}.`)
  const empty = [...values].filter(([, texts]) => texts.some((value) => value.trim() === '')).map(([name]) => name)
  if (empty.length > 0)
    throw new UsageError(`Must not be empty: ${empty.map((name) => (options[name] ? `--${name}` : name)).join(', ')}.`)
}

export const readInput = (command: Command, args: readonly string[]): Input => {
  const values = new Map<string, string[]>()
  const loose: string[] = []
  let taking: string[] | undefined
  for (const token of tokenize(command, args)) {
    if (token.kind === 'positional') (taking ?? loose).push(token.value)
    if (token.kind === 'option-terminator') taking = undefined
    if (token.kind !== 'option') continue
    const { many } = { ...command.options, ...GENERAL }[token.name] as Option
    if (!many && values.has(token.name)) throw new UsageError(`--${token.name} is given twice.`)
    const all = [...(values.get(token.name) ?? []), token.value ?? 'true']
    values.set(token.name, all)
    taking = many ? all : undefined
  }
  nameOperands(command.operands ?? [], loose, values)
  requireAll(command, values)
  return new Input(values)
}

const usage = ({ name, operands = [], options = {} }: Command) =>
  [
    `${PROGRAM} ${name}`,
    ...operands.map(({ name, many }) => (many ? `${name}…` : name)),
    ...Object.entries(options).map(([name, { value, required, many }]) => {
      const text = [`--${name}`, value && (many ? `${value}…` : value)].filter(Boolean).join(' ')
      return required ? text : `[${text}]`
    }),
  ].join(' ')

const columns = (lines: readonly (readonly [string, string])[]) => {
  const width = Math.max(...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

export const commandHelp = (command: Command): string => {
  const { summary, details, operands = [], options = {} } = command
  const lines: [string, string][] = [
    ...operands.map(({ name, about }): [string, string] => [name, about]),
    ...Object.entries({ ...options, ...GENERAL }).map(([name, { value, about }]): [string, string] => [
      value ? `--${name} ${value}` : `--${name}`,
      about,
    ]),
  ]
  return `${[usage(command), summary, ...(details ? [details] : []), columns(lines)].join('\n\n')}\n`
}

export const commandList = (commands: readonly Command[]) =>
  columns(commands.map((command) => [command.name, command.summary]))

export const generalHelp = (commands: readonly Command[]): string => `${PROGRAM} COMMAND …

${commandList(commands)}

${PROGRAM} COMMAND --help explains a command. With --json, a command prints one JSON value.
${PROGRAM} --version prints the version. Settings are read from the environment and from .env in the project folder,
as the server reads them.
`
