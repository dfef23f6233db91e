import type { Config } from '../config/config.ts'

/** What a command needs from its environment: settings, output, and a way to ask. */
export interface CommandIo {
  /** Throws a ConfigError that names every bad setting. */
  config(): Config
  /** The result, on standard output. */
  print(text: string): Promise<void>
  /** Progress and errors, on standard error. */
  say(line: string): void
  /** Replaces the last line of a terminal, for a progress bar. Undefined if there is no terminal. */
  redraw?: ((text: string) => void) | undefined
  /** Asks the person at the terminal. Undefined if there is no terminal. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Whether the output is a terminal that shows colours. */
  colours?: boolean
}
