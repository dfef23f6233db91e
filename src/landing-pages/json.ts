import type { FileUrls } from '../files/file-urls.ts'
import { productJson } from '../products/json.ts'
import type { Statement } from '../storage/statement.ts'

/** Renders the row `l` of the table landing_page as JSON. */
export const landingPageJson = (statement: Statement, fileUrls: FileUrls, l: string): string => {
  const host = `coalesce(
    (select ${l}_d.host from domain ${l}_d where ${l}_d.store_id = ${l}.store_id and ${l}_d.id = ${l}.domain_id),
    (select ${l}_s.domain from store ${l}_s where ${l}_s.id = ${l}.store_id))`
  const product = `(select ${productJson(statement, fileUrls, `${l}_p`)}
    from product ${l}_p where ${l}_p.store_id = ${l}.store_id and ${l}_p.id = ${l}.product_id)`
  return `(select row_to_json(r) from (select ${l}.id, ${l}.title, ${l}.slug, ${l}.meta_description,
    ${l}.product_id, ${l}.domain_id,
    iso(${l}.created_at) as created_at, iso(${l}.updated_at) as updated_at,
    ${product} as product,
    'https://' || ${host} || '/' || ${l}.path as url,
    ${l}.screenshot_url, ${l}.lang, ${l}.cod_type,
    iso(${l}.published_at) as published_at) r)`
}
