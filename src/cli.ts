import { runCommandLine } from './cli/run.ts'
import { readConfig } from './config.ts'
import { loadEnvFile } from './env-file.ts'

// Whoever reads the output may leave before its end, as `head` does.
process.stdout.on('error', () => process.exit(1))

const code = await runCommandLine(process.argv.slice(2), {
  config: () => {
    loadEnvFile()
    return readConfig(process.env)
  },
  print: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
  say: (line) => process.stderr.write(`${line}\n`),
  colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
})
process.exit(code)
