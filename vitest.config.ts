import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'client/src/**/*.test.ts', 'examples/**/*.test.ts'],
    // Minutes of trouble for real are a run of their own: vitest.faults.config.ts. What is fast stays here as well.
    exclude: ['**/node_modules/**', 'src/faults/!(isolation).test.ts'],
    globalSetup: ['src/testing/global-setup.ts'],
    setupFiles: ['src/testing/matchers.ts'],
    pool: 'forks',
    maxWorkers: '100%',
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
