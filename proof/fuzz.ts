import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../tests/support/server-process.ts'

export interface FuzzResult {
  requests: number
  succeeded: number
  operations: number
  /** Operations that succeeded, with a request of the samples or a generated one. */
  seen: number
  seenGenerated: number
}

// The bundle is two folders below the root.
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAX_MS = 6 * 3_600_000

/** Runs tests/resilience/fuzz.test.ts with so many requests. Undefined when anything was wrong; the test says what. */
export const runFuzz = async (requests: number): Promise<FuzzResult | undefined> => {
  const result = path.join(await temporaryFolder('storefront-proof-fuzz-'), 'result.json')
  const words = ['vitest', 'run', '--config', 'vitest.resilience.config.ts', 'tests/resilience/fuzz.test.ts']
  const child = spawn('npx', [...words, `--testTimeout=${MAX_MS}`], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, FUZZ_REQUESTS: String(requests), FUZZ_RESULT: result },
  })
  const [code] = await once(child, 'exit')
  return code === 0 && existsSync(result) ? JSON.parse(readFileSync(result, 'utf8')) : undefined
}
