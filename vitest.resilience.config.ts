import { defineConfig } from 'vitest/config'

/** What is tried for real, takes minutes, and ends in a table: `npm run test:resilience`. */
export default defineConfig({
  test: {
    include: ['tests/resilience/**/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts', 'tests/resilience/results-table.ts'],
    setupFiles: ['tests/support/matchers.ts'],
    pool: 'forks',
    // One after the other: cases that measure or break things must not disturb one another.
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
