import { defineConfig } from 'vitest/config'
import groups from './proof/mutation/groups.json' with { type: 'json' }
import base from './vitest.config.ts'

/** The tests of the group of files that is mutated. Tests of rules alone need no PostgreSQL, and take no time to start. */
const { tests, ...group } = groups[process.env.MUTANTS as keyof typeof groups]
const { globalSetup, setupFiles, ...options } = base.test ?? {}
const service = 'needs' in group ? { globalSetup, setupFiles } : {}

export default defineConfig({
  test: { ...options, ...service, include: tests, exclude: ['**/node_modules/**'], maxWorkers: 1 },
})
