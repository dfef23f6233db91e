import { countryJson } from '../countries/queries.ts'
import type { FileLinks } from '../files/links.ts'
import { orderJson } from '../orders/json.ts'
import type { Statement } from '../storage/statement.ts'

/** Renders the row `c` of the table customer as section 2.4 has it. */
export const customerJson = (statement: Statement, links: FileLinks, c: string): string => {
  const latest = `(select ${orderJson(statement, links, `${c}_o`)}
    from orders ${c}_o where ${c}_o.store_id = ${c}.store_id and ${c}_o.id = ${c}.latest_order_id)`
  return `json_build_object(
    'id', ${c}.id, 'name', ${c}.name, 'email', ${c}.email, 'phone', ${c}.phone, 'address', ${c}.address,
    'city', ${c}.city, 'postal_code', ${c}.postal_code, 'country_id', ${c}.country_id,
    'created_at', iso(${c}.created_at), 'updated_at', iso(${c}.updated_at),
    'country', (select ${countryJson(`${c}_n`)} from country ${c}_n where ${c}_n.id = ${c}.country_id),
    'order_count', ${c}.order_count, 'amount_spent', trim_scale(${c}.amount_spent),
    'latest_order', ${latest},
    'subscription_status', ${c}.subscription_status
  )`
}
