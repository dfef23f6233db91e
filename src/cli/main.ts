import { createInterface } from 'node:readline/promises'
import { readConfig } from '../config/config.ts'
import { loadEnvFile } from '../config/env-file.ts'
import { runCommandLine } from './run.ts'

// The reader may close the pipe early, as `head` does.
process.stdout.on('error', () => process.exit(1))

const print = (text: string) => new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))

const ask = async (question: string) => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // End of input and Ctrl-C count as no.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const answer = await Promise.race([terminal.question(question).catch(() => ''), closed])
  terminal.close()
  return answer
}

const code = await runCommandLine(process.argv.slice(2), {
  config: () => {
    loadEnvFile()
    return readConfig(process.env)
  },
  print,
  say: (line) => process.stderr.write(`${line}\n`),
  redraw: process.stderr.isTTY ? (text) => process.stderr.write(`\r\x1b[2K${text}`) : undefined,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
})
process.exit(code)
