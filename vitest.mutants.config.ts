import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** Quick tests of the rules that are mutated. */
const include = [
  'src/resources/auth/*.test.ts',
  'src/core/http/{http,idempotency,dry-run,versions}.test.ts',
  'src/core/reading/{list-page,remembered-replies}.test.ts',
  'src/resources/stock/stock.test.ts',
  'src/resources/webhooks/{delivery,guide}.test.ts',
  'src/resources/orders/{orders,refunds,update-order,fulfilment,states,cancellation}.test.ts',
  'tests/resilience/{isolation,forged-tokens}.test.ts',
]

export default defineConfig({ test: { ...base.test, include, exclude: ['**/node_modules/**'] } })
