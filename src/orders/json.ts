import { carrierJson } from '../carriers/queries.ts'
import { countryJson } from '../countries/queries.ts'
import { type FileUrls, permanentFileUrl } from '../files/file-urls.ts'
import { landingPageJson } from '../landing-pages/json.ts'
import { variantJson } from '../products/json.ts'
import { jsonArray, type Statement } from '../storage/statement.ts'

// Outer rows are named by the caller; inner aliases have two letters or more, so that neither hides the other.

const list = (element: string, order: string, rows: string) => `(select ${jsonArray(element, order)} ${rows})`

/** An entry of `bought`; elsewhere than in the order itself, with the units meant there. */
const lineJson = (b: string, quantity = `${b}.quantity`) => `(select row_to_json(r) from (select
    ${b}.id, ${quantity} as quantity, ${b}.price, ${b}.sku, ${b}.title, ${b}.is_digital, ${b}.options, ${b}.variant,
    ${b}.image_url) r)`

/** The lines of an order with what is dear to look up, once, since deliveries, returns and refunds show them too. */
const bought = (statement: Statement, fileUrls: FileUrls, ofOrder: (row: string) => string) => {
  const image = (owner: string) => `(select ${permanentFileUrl(statement, fileUrls, 'lf')}
      from file_link lk join file lf on lf.store_id = lk.store_id and lf.id = lk.file_id
      where lk.store_id = xl.store_id and ${owner} order by lk.position, lk.id limit 1)`
  return `select xl.id, xl.position, xl.quantity, trim_scale(xl.price) as price, xl.sku, xl.title, xl.is_digital,
    xl.options,
    (select ${variantJson(statement, fileUrls, 'lv')}
      from variant lv where lv.store_id = xl.store_id and lv.id = xl.variant_id) as variant,
    coalesce(${image("lk.variant_id = xl.variant_id and lk.role = 'variant_image'")},
      ${image("lk.product_id = xl.product_id and lk.role = 'product_images'")}) as image_url
    from order_line xl where ${ofOrder('xl')}`
}

/** Deliveries, and the ways back of returns. */
const sent = (ofOrder: (row: string) => string) => {
  const carrier = (json: string) =>
    `(select ${json} from shipping_carrier dc where dc.store_id = xd.store_id and dc.id = xd.carrier_id)`
  return `select xd.id, xd.is_return, xd.created_at, (select row_to_json(r) from (select
      xd.id, xd.status, xd.tracking_number,
      ${carrier("replace(dc.tracking_url, '{tracking_number}', url_encode(xd.tracking_number))")} as tracking_link,
      ${carrier(carrierJson('dc'))} as shipping_carrier,
      ${list(
        lineJson('db', 'dl.quantity'),
        'db.position, db.id',
        `from delivery_line dl join bought db on db.id = dl.order_line_id
        where dl.store_id = xd.store_id and dl.delivery_id = xd.id`,
      )} as order_variants
    ) r) as json
    from delivery xd where ${ofOrder('xd')}`
}

const broughtBack = (
  ofOrder: (row: string) => string,
) => `select xr.id, xr.created_at, (select row_to_json(r) from (select
      xr.id, xr.order_id, xr.reason,
      ${list(
        `(select row_to_json(r) from (select
          rl.id, rl.order_line_id as order_variant_id, rl.quantity, rl.reason, rl.restock,
          ${lineJson('rb')} as order_variant) r)`,
        'rb.position, rl.id',
        `from return_line rl join bought rb on rb.id = rl.order_line_id
        where rl.store_id = xr.store_id and rl.return_id = xr.id`,
      )} as return_variants,
      (select rs.json from sent rs where rs.id = xr.delivery_id) as delivery,
      iso(xr.created_at) as created_at
    ) r) as json
    from order_return xr where ${ofOrder('xr')}`

const paidBack = (ofOrder: (row: string) => string) => `select xf.id, xf.created_at, (select row_to_json(r) from (select
      xf.id, xf.order_id, xf.status, trim_scale(xf.amount) as amount, xf.reason,
      (select fr.json from brought_back fr where fr.id = xf.return_id) as return,
      ${list(
        `(select row_to_json(r) from (select
          fl.id, fl.order_line_id as order_variant_id, fl.quantity, trim_scale(fl.amount) as amount,
          ${lineJson('fb')} as order_variant) r)`,
        'fb.position, fl.id',
        `from refund_line fl join bought fb on fb.id = fl.order_line_id
        where fl.store_id = xf.store_id and fl.refund_id = xf.id`,
      )} as refund_variants,
      iso(xf.created_at) as created_at
    ) r) as json
    from refund xf where ${ofOrder('xf')}`

/**
 * All that hangs on an order, each kind rendered in one place: planning and starting a statement takes as long as its
 * text is large, and PostgreSQL leaves out the parts that nothing refers to.
 */
const withParts = (statement: Statement, fileUrls: FileUrls, store: string, order: string) => {
  const ofOrder = (row: string) => `${row}.store_id = ${store} and ${row}.order_id = ${order}`
  return `with bought as materialized (${bought(statement, fileUrls, ofOrder)}),
    sent as materialized (${sent(ofOrder)}),
    brought_back as materialized (${broughtBack(ofOrder)}),
    paid_back as materialized (${paidBack(ofOrder)})`
}

const part = (name: string) => (statement: Statement, fileUrls: FileUrls, row: string) =>
  `(${withParts(statement, fileUrls, `${row}.store_id`, `${row}.order_id`)}
    select part.json from ${name} part where part.id = ${row}.id)`

/** Renders a row of the table delivery, also the way back of a return. */
export const deliveryJson = part('sent')
/** Renders a row of the table order_return. */
export const returnJson = part('brought_back')
/** Renders a row of the table refund. */
export const refundJson = part('paid_back')

const eventJson = (e: string) => `(select row_to_json(r) from (select
    ${e}.id, ${e}.app_id, ${e}.app_name, ${e}.account_name, ${e}.subject, ${e}.subject_id, ${e}.from_state as "from", ${e}.to_state as "to",
    iso(${e}.created_at) as created_at) r)`

const person = (o: string, prefix: 'customer' | 'billing') => `
    ${o}.${prefix}_first_name, ${o}.${prefix}_last_name,
    btrim(${o}.${prefix}_first_name || ' ' || ${o}.${prefix}_last_name) as ${prefix}_name,
    ${o}.${prefix}_email, ${o}.${prefix}_phone, ${o}.${prefix}_address, ${o}.${prefix}_city, ${o}.${prefix}_state,
    ${o}.${prefix}_postal_code`

/** Renders the row `o` of the table orders as JSON. */
export const orderJson = (statement: Statement, fileUrls: FileUrls, o: string): string => {
  const money = (column: string) => `trim_scale(${o}.${column}) as ${column}`
  return `(${withParts(statement, fileUrls, `${o}.store_id`, `${o}.id`)} select row_to_json(rendered) from (select
    ${o}.id, ${o}.ref, ${o}.status, ${o}.currency, ${person(o, 'customer')}, ${o}.customer_id,
    (select ${countryJson('oc')} from country oc where oc.id = ${o}.country_id) as customer_country,
    ${person(o, 'billing')}, ${o}.card_brand, ${o}.card_last4,
    ${money('shipping_rate')}, ${o}.shipping_name, ${money('discount')}, ${o}.discount_code,
    ${money('tip')}, ${o}.tip_type, ${money('tip_value')},
    ${o}.bundle_name, ${o}.bundle_option_name, ${money('bundle_price')},
    ${money('fee')}, ${money('subtotal')}, ${money('total')}, ${o}.quantity,
    ${o}.is_archived, ${o}.is_cancelled, iso(${o}.cancelled_at) as cancelled_at, iso(${o}.paid_at) as paid_at,
    iso(${o}.created_at) as created_at, iso(${o}.updated_at) as updated_at, ${o}.meta_data,
    (select row_to_json(r) from (select op.id, op.name, op.status, op.payment_types, op.connected
      from payment_method op where op.store_id = ${o}.store_id and op.id = ${o}.payment_method_id) r) as payment_method,
    ${list(lineJson('ob'), 'ob.position, ob.id', 'from bought ob')} as variants,
    ${list('x.json', 'x.created_at, x.id', 'from sent x where not x.is_return')} as deliveries,
    ${list('x.json', 'x.created_at, x.id', 'from brought_back x')} as returns,
    ${list('x.json', 'x.created_at, x.id', 'from paid_back x')} as refunds,
    (select ${landingPageJson(statement, fileUrls, 'olp')}
      from landing_page olp where olp.store_id = ${o}.store_id and olp.id = ${o}.landing_page_id) as landing_page,
    ${o}.source_link,
    'https://' || os.domain || '/checkout/' || ${o}.ref as checkout_link,
    'https://' || os.domain || '/thank-you/' || ${o}.ref as thank_you_link,
    ${list(
      eventJson('oe'),
      'oe.created_at, oe.id',
      `from order_event oe
      where oe.store_id = ${o}.store_id and oe.order_id = ${o}.id`,
    )} as history
    from store os where os.id = ${o}.store_id) rendered)`
}
