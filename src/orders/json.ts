import { carrierJson } from '../carriers/queries.ts'
import { countryJson } from '../countries/queries.ts'
import { type FileLinks, fileAddress } from '../files/links.ts'
import { landingPageJson } from '../landing-pages/json.ts'
import { variantJson } from '../products/json.ts'
import type { Statement } from '../storage/statement.ts'

// Outer rows are named by the caller; inner aliases have two letters or more, so that neither hides the other.

const list = (rows: string) => `coalesce((select json_agg(${rows}), '[]'::json)`

/** An entry of `bought`; elsewhere than in the order itself, with the units meant there. */
const lineJson = (b: string, quantity = `${b}.quantity`) => `json_build_object(
    'id', ${b}.id, 'quantity', ${quantity}, 'price', ${b}.price, 'sku', ${b}.sku, 'title', ${b}.title,
    'is_digital', ${b}.is_digital, 'options', ${b}.options, 'variant', ${b}.variant, 'image_url', ${b}.image_url)`

/** The lines of an order with what is dear to look up, once, since deliveries, returns and refunds show them too. */
const bought = (statement: Statement, links: FileLinks, ofOrder: (row: string) => string) => {
  const image = (owner: string) => `(select ${fileAddress(statement, links, 'lf')}
      from file_link lk join file lf on lf.store_id = lk.store_id and lf.id = lk.file_id
      where lk.store_id = xl.store_id and ${owner} order by lk.position, lk.id limit 1)`
  return `select xl.id, xl.position, xl.quantity, trim_scale(xl.price) as price, xl.sku, xl.title, xl.is_digital,
    xl.options,
    (select ${variantJson(statement, links, 'lv')}
      from variant lv where lv.store_id = xl.store_id and lv.id = xl.variant_id) as variant,
    coalesce(${image("lk.variant_id = xl.variant_id and lk.role = 'variant_image'")},
      ${image("lk.product_id = xl.product_id and lk.role = 'product_images'")}) as image_url
    from order_line xl where ${ofOrder('xl')}`
}

/** Deliveries, and the ways back of returns. */
const sent = (ofOrder: (row: string) => string) => {
  const carrier = (json: string) =>
    `(select ${json} from shipping_carrier dc where dc.store_id = xd.store_id and dc.id = xd.carrier_id)`
  return `select xd.id, xd.is_return, xd.created_at, json_build_object(
      'id', xd.id, 'status', xd.status, 'tracking_number', xd.tracking_number,
      'tracking_link', ${carrier("replace(dc.tracking_url, '{tracking_number}', url_encode(xd.tracking_number))")},
      'shipping_carrier', ${carrier(carrierJson('dc'))},
      'order_variants', ${list(`${lineJson('db', 'dl.quantity')} order by db.position, db.id)
        from delivery_line dl join bought db on db.id = dl.order_line_id
        where dl.store_id = xd.store_id and dl.delivery_id = xd.id`)}
    ) as json
    from delivery xd where ${ofOrder('xd')}`
}

const broughtBack = (ofOrder: (row: string) => string) => `select xr.id, xr.created_at, json_build_object(
      'id', xr.id, 'order_id', xr.order_id, 'reason', xr.reason,
      'return_variants', ${list(`json_build_object(
          'id', rl.id, 'order_variant_id', rl.order_line_id, 'quantity', rl.quantity, 'reason', rl.reason,
          'restock', rl.restock, 'order_variant', ${lineJson('rb')}) order by rb.position, rl.id)
        from return_line rl join bought rb on rb.id = rl.order_line_id
        where rl.store_id = xr.store_id and rl.return_id = xr.id`)},
      'delivery', (select rs.json from sent rs where rs.id = xr.delivery_id),
      'created_at', iso(xr.created_at)
    ) as json
    from order_return xr where ${ofOrder('xr')}`

const paidBack = (ofOrder: (row: string) => string) => `select xf.id, xf.created_at, json_build_object(
      'id', xf.id, 'order_id', xf.order_id, 'status', xf.status, 'amount', trim_scale(xf.amount), 'reason', xf.reason,
      'return', (select fr.json from brought_back fr where fr.id = xf.return_id),
      'refund_variants', ${list(`json_build_object(
          'id', fl.id, 'order_variant_id', fl.order_line_id, 'quantity', fl.quantity,
          'amount', trim_scale(fl.amount), 'order_variant', ${lineJson('fb')}) order by fb.position, fl.id)
        from refund_line fl join bought fb on fb.id = fl.order_line_id
        where fl.store_id = xf.store_id and fl.refund_id = xf.id`)},
      'created_at', iso(xf.created_at)
    ) as json
    from refund xf where ${ofOrder('xf')}`

/**
 * All that hangs on an order, each kind rendered in one place: planning and starting a statement takes as long as its
 * text is large, and PostgreSQL leaves out the parts that nothing refers to.
 */
const withParts = (statement: Statement, links: FileLinks, store: string, order: string) => {
  const ofOrder = (row: string) => `${row}.store_id = ${store} and ${row}.order_id = ${order}`
  return `with bought as materialized (${bought(statement, links, ofOrder)}),
    sent as materialized (${sent(ofOrder)}),
    brought_back as materialized (${broughtBack(ofOrder)}),
    paid_back as materialized (${paidBack(ofOrder)})`
}

const part = (name: string) => (statement: Statement, links: FileLinks, row: string) =>
  `(${withParts(statement, links, `${row}.store_id`, `${row}.order_id`)}
    select part.json from ${name} part where part.id = ${row}.id)`

/** Renders a row of the table delivery, also the way back of a return. */
export const deliveryJson = part('sent')
/** Renders a row of the table order_return. */
export const returnJson = part('brought_back')
/** Renders a row of the table refund. */
export const refundJson = part('paid_back')

const eventJson = (e: string) => `json_build_object(
    'id', ${e}.id, 'app_id', ${e}.app_id, 'app_name', ${e}.app_name, 'subject', ${e}.subject,
    'subject_id', ${e}.subject_id, 'from', ${e}.from_state, 'to', ${e}.to_state, 'created_at', iso(${e}.created_at))`

const person = (o: string, prefix: 'customer' | 'billing') => `
    ${o}.${prefix}_first_name, ${o}.${prefix}_last_name,
    btrim(${o}.${prefix}_first_name || ' ' || ${o}.${prefix}_last_name) as ${prefix}_name,
    ${o}.${prefix}_email, ${o}.${prefix}_phone, ${o}.${prefix}_address, ${o}.${prefix}_city, ${o}.${prefix}_state,
    ${o}.${prefix}_postal_code`

/** Renders the row `o` of the table orders as section 2.3 has it. */
export const orderJson = (statement: Statement, links: FileLinks, o: string): string => {
  const money = (column: string) => `trim_scale(${o}.${column}) as ${column}`
  return `(${withParts(statement, links, `${o}.store_id`, `${o}.id`)} select row_to_json(rendered) from (select
    ${o}.id, ${o}.ref, ${o}.status, ${o}.currency, ${person(o, 'customer')}, ${o}.customer_id,
    (select ${countryJson('oc')} from country oc where oc.id = ${o}.country_id) as customer_country,
    ${person(o, 'billing')}, ${o}.card_brand, ${o}.card_last4,
    ${money('shipping_rate')}, ${o}.shipping_name, ${money('discount')}, ${o}.discount_code,
    ${money('tip')}, ${o}.tip_type, ${money('tip_value')},
    ${o}.bundle_name, ${o}.bundle_option_name, ${money('bundle_price')},
    ${money('fee')}, ${money('subtotal')}, ${money('total')}, ${o}.quantity,
    ${o}.is_archived, ${o}.is_cancelled, iso(${o}.cancelled_at) as cancelled_at, iso(${o}.paid_at) as paid_at,
    iso(${o}.created_at) as created_at, iso(${o}.updated_at) as updated_at, ${o}.meta_data,
    (select json_build_object('id', op.id, 'name', op.name, 'status', op.status, 'payment_types', op.payment_types,
        'connected', op.connected)
      from payment_method op where op.store_id = ${o}.store_id and op.id = ${o}.payment_method_id) as payment_method,
    ${list(`${lineJson('ob')} order by ob.position, ob.id) from bought ob`)} as variants,
    ${list('x.json order by x.created_at, x.id) from sent x where not x.is_return')} as deliveries,
    ${list('x.json order by x.created_at, x.id) from brought_back x')} as returns,
    ${list('x.json order by x.created_at, x.id) from paid_back x')} as refunds,
    (select ${landingPageJson(statement, links, 'olp')}
      from landing_page olp where olp.store_id = ${o}.store_id and olp.id = ${o}.landing_page_id) as landing_page,
    ${o}.source_link,
    'https://' || os.domain || '/checkout/' || ${o}.ref as checkout_link,
    'https://' || os.domain || '/thank-you/' || ${o}.ref as thank_you_link,
    ${list(`${eventJson('oe')} order by oe.created_at, oe.id) from order_event oe
      where oe.store_id = ${o}.store_id and oe.order_id = ${o}.id`)} as history
    from store os where os.id = ${o}.store_id) rendered)`
}
