import { countryJson } from '../countries/queries.ts'
import type { FileUrls } from '../files/file-urls.ts'
import type { Statement } from '../storage/statement.ts'

/** Renders a row as JSON. */
type RowJson = (statement: Statement, fileUrls: FileUrls, alias: string) => string

/** What a customer shows and cannot import: orders import customers, to find the customer of an order. */
export interface CustomerEmbeds {
  orderJson: RowJson
}

/** Renders the row `c` of the table customer. */
export const customerJson =
  ({ orderJson }: CustomerEmbeds): RowJson =>
  (statement, fileUrls, c) => {
    const latest = `(select ${orderJson(statement, fileUrls, `${c}_o`)}
    from orders ${c}_o where ${c}_o.store_id = ${c}.store_id and ${c}_o.id = ${c}.latest_order_id)`
    return `(select row_to_json(r) from (select ${c}.id, ${c}.name, ${c}.email, ${c}.phone, ${c}.address,
    ${c}.city, ${c}.postal_code, ${c}.country_id,
    iso(${c}.created_at) as created_at, iso(${c}.updated_at) as updated_at,
    (select ${countryJson(`${c}_n`)} from country ${c}_n where ${c}_n.id = ${c}.country_id) as country,
    ${c}.order_count, trim_scale(${c}.amount_spent) as amount_spent,
    ${latest} as latest_order,
    ${c}.subscription_status) r)`
  }
