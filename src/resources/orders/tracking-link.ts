import { value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText, t } from '../../core/storage/sql.ts'

interface TrackedRow {
  id: string
  tracking_number: string | null
  tracking_url: string | null
}

/** RFC 3986: everything but unreserved characters is encoded. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const trackingLink = ({ tracking_url, tracking_number }: TrackedRow) =>
  tracking_url === null || tracking_number === null
    ? null
    : tracking_url.replaceAll('{tracking_number}', encode(tracking_number))

/** The tracking page of a delivery: the carrier's URL with the tracking number. The hole refers to the delivery. */
export const trackingLinkKind = rowKind<unknown>({
  table: 'delivery',
  columns: (store) => sqlText`id, tracking_number, (
    select c.tracking_url from ${t.shipping_carrier} c where c.store_id = ${store} and c.id = carrier_id) as tracking_url`,
  texts: (row: TrackedRow) => [[row.id, value(trackingLink(row))]],
})
