import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** What can tell a wrong rule from a right one. Files that take long, and say the same with more force, stay out. */
const include = [
  'src/auth/*.test.ts',
  'src/http/{http,paging}.test.ts',
  'src/orders/{orders,refunds,update-order,fulfilment,states,called-off}.test.ts',
  'src/faults/{isolation,tokens}.test.ts',
]

export default defineConfig({ test: { ...base.test, include, exclude: ['**/node_modules/**'] } })
