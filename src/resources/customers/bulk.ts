import type { BulkResource } from '../../core/http/resource.ts'
import { emailKey } from '../../core/input/email.ts'
import { createChecker } from '../../core/input/validation.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { findBy } from '../bulk/find-by-line.ts'
import { createCustomer } from './create-customer.ts'
import { CustomerChanges, NewCustomer } from './schema.ts'
import { updateCustomer } from './update-customer.ts'

/** The text has holes, so it cannot be parsed as JSON yet. */
const idOf = (text: string) => /"id":"([0-9a-f-]{36})"/.exec(text)?.[1] as string

export const customerBulk: BulkResource = {
  table: 'customer',
  permissions: { create: 'customer:create', update: 'customer:update' },
  find: { email: findBy('customer', 'email', sqlText`email_key = $2`, emailKey) },
  creation: createChecker(NewCustomer),
  changes: createChecker(CustomerChanges),
  create: async (db, { store }, body: NewCustomer) => idOf(await createCustomer(db, store, body)),
  update: (db, { store }, id, body: CustomerChanges) => updateCustomer(db, store, id, body),
}
