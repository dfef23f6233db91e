import { type FileUrls, fileJson } from '../files/file-urls.ts'
import { productJson } from '../products/json.ts'
import { jsonArray, type Statement } from '../storage/statement.ts'

/** Renders the row `r` of the table review as JSON. */
export const reviewJson = (statement: Statement, fileUrls: FileUrls, r: string): string => {
  const images = `(select ${jsonArray(fileJson(statement, fileUrls, `${r}_f`), `${r}_i.position, ${r}_i.id`)}
    from file_link ${r}_i join file ${r}_f on ${r}_f.store_id = ${r}_i.store_id and ${r}_f.id = ${r}_i.file_id
    where ${r}_i.store_id = ${r}.store_id and ${r}_i.review_id = ${r}.id and ${r}_i.role = 'review_images')`
  const product = `(select ${productJson(statement, fileUrls, `${r}_p`)}
    from product ${r}_p where ${r}_p.store_id = ${r}.store_id and ${r}_p.id = ${r}.product_id)`
  return `(select row_to_json(r) from (select ${r}.id, ${r}.content, ${r}.status, ${r}.rating,
    ${r}.reviewer_name, ${r}.reviewer_email, iso(${r}.created_at) as created_at,
    ${images} as images,
    ${product} as product) r)`
}
