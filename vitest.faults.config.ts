import { defineConfig } from 'vitest/config'

/** What is tried for real, takes minutes, and ends in a table: `npm run test:faults`. */
export default defineConfig({
  test: {
    include: ['src/faults/**/*.test.ts'],
    globalSetup: ['src/testing/global-setup.ts', 'src/faults/table.ts'],
    setupFiles: ['src/testing/matchers.ts'],
    pool: 'forks',
    // One after the other: cases that measure or break things must not disturb one another.
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
