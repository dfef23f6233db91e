import type { FileLinks } from '../files/links.ts'
import { productJson } from '../products/json.ts'
import type { Statement } from '../storage/statement.ts'

/** Renders the row `l` of the table landing_page as section 2.6 has it. */
export const landingPageJson = (statement: Statement, links: FileLinks, l: string): string => {
  const host = `coalesce(
    (select ${l}_d.host from domain ${l}_d where ${l}_d.store_id = ${l}.store_id and ${l}_d.id = ${l}.domain_id),
    (select ${l}_s.domain from store ${l}_s where ${l}_s.id = ${l}.store_id))`
  const product = `(select ${productJson(statement, links, `${l}_p`)}
    from product ${l}_p where ${l}_p.store_id = ${l}.store_id and ${l}_p.id = ${l}.product_id)`
  return `json_build_object(
    'id', ${l}.id, 'title', ${l}.title, 'slug', ${l}.slug, 'meta_description', ${l}.meta_description,
    'product_id', ${l}.product_id, 'domain_id', ${l}.domain_id,
    'created_at', iso(${l}.created_at), 'updated_at', iso(${l}.updated_at),
    'product', ${product},
    'url', 'https://' || ${host} || '/' || ${l}.path,
    'screenshot_url', ${l}.screenshot_url, 'lang', ${l}.lang, 'cod_type', ${l}.cod_type,
    'published_at', iso(${l}.published_at)
  )`
}
