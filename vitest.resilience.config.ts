import { defineConfig } from 'vitest/config'
import { keepTemporaryFilesInMemory } from './tests/support/memory-folder.ts'

keepTemporaryFilesInMemory()

/** Crash, outage and abuse tests, which end with a table of results: `npm run test:resilience`. */
export default defineConfig({
  test: {
    include: ['tests/resilience/**/*.test.ts'],
    // It runs in the suite.
    exclude: ['tests/resilience/isolation.test.ts'],
    globalSetup: ['tests/support/global-setup.ts', 'tests/resilience/results-table.ts'],
    setupFiles: ['tests/support/matchers.ts'],
    pool: 'forks',
    // As in vitest.config.ts.
    experimental: { fsModuleCache: true },
    // One after the other, because tests that measure or break things disturb each other.
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
