import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/support/longest-first.ts'
import { keepTemporaryFilesInMemory } from './tests/support/memory-folder.ts'

keepTemporaryFilesInMemory()

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'client/src/**/*.test.ts', 'examples/**/*.test.ts', 'tests/**/*.test.ts'],
    // Resilience tests take minutes and have their own run (vitest.resilience.config.ts), except the isolation test.
    exclude: ['**/node_modules/**', 'tests/resilience/!(isolation).test.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/matchers.ts'],
    pool: 'forks',
    // Loading the service anew for each file would take longer than most of their tests.
    isolate: false,
    // Transforming 700 modules takes five seconds of a processor; what has not changed is read from node_modules instead.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    // More than there are processors: many tests wait for processes to start and stop, and for time to pass.
    maxWorkers: availableParallelism() + 1,
    // For a machine that does other things too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
