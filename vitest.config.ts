import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'client/src/**/*.test.ts', 'examples/**/*.test.ts', 'tests/**/*.test.ts'],
    // Minutes of trouble for real are a run of their own: vitest.resilience.config.ts. What is fast stays here as well.
    exclude: ['**/node_modules/**', 'tests/resilience/!(isolation).test.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/matchers.ts'],
    pool: 'forks',
    // Loading the service anew for each file would take longer than most of their tests.
    isolate: false,
    maxWorkers: '100%',
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
