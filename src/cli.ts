import { runCommandLine } from './cli/run.ts'
import { readConfig } from './config.ts'
import { loadEnvFile } from './env-file.ts'

const print = (text: string) =>
  new Promise<void>((resolve) => {
    // Whoever reads the output may leave before its end, as `head` does.
    process.stdout.once('error', () => process.exit(1))
    process.stdout.write(text, () => resolve())
  })

const code = await runCommandLine(process.argv.slice(2), {
  config: () => {
    loadEnvFile()
    return readConfig(process.env)
  },
  print,
  say: (line) => process.stderr.write(`${line}\n`),
  colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
})
process.exit(code)
