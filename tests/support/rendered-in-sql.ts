import type { Db } from '../../src/core/storage/database.ts'
import { identifier, type Sql, sqlText } from '../../src/core/storage/sql.ts'
import { jsonArray, Statement } from '../../src/core/storage/statement.ts'
import type { StoreId } from '../../src/core/storage/store-id.ts'
import { expiryOf, type FileUrls, type Served } from '../../src/resources/files/file-urls.ts'

// A second way to render products, variants and files: in SQL, from all rows at once. Replies must be the same bytes.

const HMAC_BLOCK = 64

/** HMAC pads its key; SQL has sha256() only. */
const padded = (key: Buffer, mask: number) => {
  const block = Buffer.alloc(HMAC_BLOCK, mask)
  for (const [index, byte] of key.entries()) block[index] = byte ^ mask
  return block
}

interface BoundFileUrls {
  base: Sql
  expires: Sql
  inner: Sql
  outer: Sql
  showsSold: Sql
}

/** The path after the URL of a file. */
const SERVED_PATH: Record<Served, Sql> = { file: sqlText``, thumbnail: sqlText`/thumbnail` }

const boundUrls = new WeakMap<Statement, BoundFileUrls>()

/** Binds the URL parameters once per statement, however many files it renders. */
const bindFileUrls = (statement: Statement, fileUrls: FileUrls): BoundFileUrls => {
  const known = boundUrls.get(statement)
  if (known) return known
  const bound = {
    base: sqlText`${statement.bind(fileUrls.base)}::text`,
    expires: sqlText`${statement.bind(String(expiryOf(fileUrls.seconds)))}::text`,
    inner: sqlText`${statement.bind(padded(fileUrls.key, 0x36))}::bytea`,
    outer: sqlText`${statement.bind(padded(fileUrls.key, 0x5c))}::bytea`,
    showsSold: sqlText`${statement.bind(fileUrls.showsSold)}::boolean`,
  }
  boundUrls.set(statement, bound)
  return bound
}

/** Renders row `f` of table `file` as JSON. */
const fileJson = (statement: Statement, fileUrls: FileUrls, f: Sql): Sql => {
  const { base, expires, inner, outer, showsSold } = bindFileUrls(statement, fileUrls)
  const place = sqlText`${f}.store_id || '/' || ${f}.id`
  const signed = (served: Served) => {
    const path = sqlText`${place} || '${SERVED_PATH[served]}'`
    const text = sqlText`convert_to(${path} || '/' || ${expires}, 'UTF8')`
    return sqlText`${base} || '/' || ${path} || '?expires=' || ${expires} || '&signature='
      || encode(sha256(${outer} || sha256(${inner} || ${text})), 'hex')`
  }
  const withheld = sqlText`(${f}.was_sold and not ${showsSold})`
  return sqlText`(select row_to_json(r) from (select ${f}.id, ${f}.name, ${f}.size, ${f}.alt, ${f}.mime_type,
    iso(${f}.created_at) as created_at, iso(${f}.updated_at) as updated_at,
    case when ${withheld} then '' else ${signed('file')} end as url,
    ${base} || '/' || ${place} as permanent_url,
    case when not ${f}.thumbnail or ${withheld} then null
      when ${f}.is_public then ${base} || '/' || ${place} || '${SERVED_PATH.thumbnail}'
      else ${signed('thumbnail')} end as thumbnail) r)`
}

const variantFile = (statement: Statement, fileUrls: FileUrls, v: Sql, role: Sql) => sqlText`(
  select ${fileJson(statement, fileUrls, sqlText`${v}_f`)}
  from file_link ${v}_l join file ${v}_f on ${v}_f.store_id = ${v}_l.store_id and ${v}_f.id = ${v}_l.file_id
  where ${v}_l.store_id = ${v}.store_id and ${v}_l.variant_id = ${v}.id and ${v}_l.role = '${role}')`

const variantValues = (v: Sql) => sqlText`(
  select ${jsonArray(
    sqlText`(select row_to_json(r) from (select ${v}_b.id, ${v}_o.id as option_id, ${v}_o.position as "order", ${v}_b.value) r)`,
    sqlText`${v}_o.position, ${v}_o.id`,
  )}
  from variant_value ${v}_a
  join product_option ${v}_o on ${v}_o.store_id = ${v}_a.store_id and ${v}_o.id = ${v}_a.option_id
  join option_value ${v}_b on ${v}_b.store_id = ${v}_a.store_id and ${v}_b.id = ${v}_a.value_id
  where ${v}_a.store_id = ${v}.store_id and ${v}_a.variant_id = ${v}.id)`

/** Renders row `v` of table `variant` as JSON. */
const variantJson = (statement: Statement, fileUrls: FileUrls, v: Sql): Sql => sqlText`(
  select row_to_json(r) from (select ${v}.id, ${v}.product_id, ${v}.title, trim_scale(${v}.price) as price,
    trim_scale(${v}.compare_price) as compare_price, ${v}.sku, ${v}.quantity,
    ${variantFile(statement, fileUrls, v, sqlText`variant_image`)} as image,
    ${variantFile(statement, fileUrls, v, sqlText`digital_product`)} as file,
    case when ${v}.choice = '' then '[]' else ${variantValues(v)} end as "values",
    iso(${v}.created_at) as created_at, iso(${v}.updated_at) as updated_at) r)`

const linkedFiles = (p: Sql, role: Sql) => sqlText`
  from file_link ${p}_l join file ${p}_f on ${p}_f.store_id = ${p}_l.store_id and ${p}_f.id = ${p}_l.file_id
  where ${p}_l.store_id = ${p}.store_id and ${p}_l.product_id = ${p}.id and ${p}_l.role = '${role}'`

const allFiles = (statement: Statement, fileUrls: FileUrls, p: Sql, role: Sql) => sqlText`(
  select ${jsonArray(fileJson(statement, fileUrls, sqlText`${p}_f`), sqlText`${p}_l.position, ${p}_l.id`)} ${linkedFiles(p, role)})`

const options = (p: Sql) => {
  const values = sqlText`(select ${jsonArray(
    sqlText`(select row_to_json(r) from (select ${p}_b.id, ${p}_b.value, ${p}_b.position as "order") r)`,
    sqlText`${p}_b.position, ${p}_b.id`,
  )} from option_value ${p}_b
    where ${p}_b.store_id = ${p}_o.store_id and ${p}_b.product_id = ${p}_o.product_id and ${p}_b.option_id = ${p}_o.id)`
  return sqlText`(select ${jsonArray(
    sqlText`(select row_to_json(r) from (select ${p}_o.id, ${p}_o.name, ${p}_o.position as "order", ${values} as "values") r)`,
    sqlText`${p}_o.position, ${p}_o.id`,
  )} from product_option ${p}_o where ${p}_o.store_id = ${p}.store_id and ${p}_o.product_id = ${p}.id)`
}

/**
 * Renders row `p` of table `product` as JSON. Variants and images are rendered once, in their
 * order, although the first of each appears twice.
 */
const productJson = (statement: Statement, fileUrls: FileUrls, p: Sql): Sql => sqlText`(
  select row_to_json(r) from (
    with variants as materialized (
      select ${variantJson(statement, fileUrls, sqlText`${p}_v`)} as shown, ${p}_v.choice from variant ${p}_v
      where ${p}_v.store_id = ${p}.store_id and ${p}_v.product_id = ${p}.id order by ${p}_v.position, ${p}_v.id),
    images as materialized (
      select ${fileJson(statement, fileUrls, sqlText`${p}_f`)} as shown ${linkedFiles(p, sqlText`product_images`)}
      order by ${p}_l.position, ${p}_l.id)
    select ${p}.id, ${p}.slug, ${p}.title, ${p}.description,
    ${p}.page_title, ${p}.meta_description, ${p}.is_digital,
    ${p}.status, ${p}.stock_tracked, ${p}.allow_order_when_oos,
    iso(${p}.created_at) as created_at, iso(${p}.updated_at) as updated_at,
    (select shown from images limit 1) as image,
    (select ${jsonArray(sqlText`shown`)} from images) as images,
    ${allFiles(statement, fileUrls, p, sqlText`ugc_video`)} as ugc_videos,
    ${options(p)} as options,
    (select ${jsonArray(sqlText`shown`)} from variants where choice <> '') as variants,
    (select row_to_json(r) from (select ${p}_c.id, ${p}_c.name from category ${p}_c
      where ${p}_c.store_id = ${p}.store_id and ${p}_c.id = ${p}.category_id) r) as category,
    (select shown from variants limit 1) as "default",
    (select ${jsonArray(
      sqlText`(select row_to_json(r) from (select ${p}_y.id, ${p}_y.name, ${p}_y.value) r)`,
      sqlText`${p}_y.position, ${p}_y.id`,
    )} from product_property ${p}_y where ${p}_y.store_id = ${p}.store_id and ${p}_y.product_id = ${p}.id) as properties) r)`

/** Reads rows of a store as SQL renders them. */
const inSql =
  (table: string, json: (statement: Statement, fileUrls: FileUrls, alias: Sql) => Sql) =>
  async (db: Db, store: StoreId, ids: string[], fileUrls: FileUrls): Promise<Map<string, string>> => {
    const statement = new Statement()
    const text = sqlText`select t.id, (${json(statement, fileUrls, sqlText`t`)})::text as text from ${identifier(table)} t
      where t.store_id = ${statement.bind(store)} and t.id = any(${statement.bind(ids)})`
    const rows = await statement.run<{ id: string; text: string }>(db, text)
    return new Map(rows.map(({ id, text }) => [id, text]))
  }

export const RENDERED_IN_SQL = {
  product: inSql('product', productJson),
  variant: inSql('variant', variantJson),
  file: inSql('file', fileJson),
}
