import { expect, test } from 'vitest'
import { isPermission, PERMISSIONS } from './catalogue.ts'
import { readPermissions } from './read-permissions.ts'

test('a permission is an action on a subject', () => {
  // The contract's list, and the extensions.
  expect([...PERMISSIONS].sort()).toEqual([
    ...['analytic:view', 'app:boot', 'app:install', 'app:uninstall'],
    ...['bundle:create', 'bundle:delete', 'bundle:update', 'bundle:view'],
    ...['customer:create', 'customer:delete', 'customer:update', 'customer:view'],
    ...['domain:create', 'domain:delete', 'domain:update', 'domain:view'],
    ...['file:browse', 'file:delete', 'file:upload', 'invoice:pay', 'invoice:view'],
    ...[
      'landing_page:create',
      'landing_page:delete',
      'landing_page:publish',
      'landing_page:update',
      'landing_page:view',
    ],
    ...['order:create', 'order:delete', 'order:export', 'order:update', 'order:view'],
    ...['payment_method:update', 'payment_method:view', 'plan:switch'],
    ...['policy:create', 'policy:delete', 'policy:update', 'policy:view'],
    ...['product:create', 'product:delete', 'product:update', 'product:view'],
    ...['review:create', 'review:delete', 'review:update', 'review:view', 'setting:update', 'setting:view'],
    ...['shipping:create', 'shipping:delete', 'shipping:update', 'shipping:view'],
  ])
  expect(PERMISSIONS.every(isPermission)).toBe(true)
  for (const other of ['', 'order', 'order:', 'order:pay', 'order:view ', 'Order:view'])
    expect(isPermission(other)).toBe(false)
})

test('an operator names permissions, or all; what is misspelt is refused with a guess', () => {
  expect(readPermissions([])).toEqual([])
  expect(readPermissions(['order:view', 'product:view', 'order:view'])).toEqual(['order:view', 'product:view'])
  expect(readPermissions(['order:view', 'all'])).toEqual(PERMISSIONS)
  expect(readPermissions(['all'])).not.toBe(PERMISSIONS)
  expect(() => readPermissions(['order:view', 'Order:veiw', 'xyzzy'])).toThrow(
    'No such permission: Order:veiw (did you mean order:view?), xyzzy. GET /permission lists them all.',
  )
})
