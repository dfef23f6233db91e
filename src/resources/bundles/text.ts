import { array, type JsonText, object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText, t } from '../../core/storage/sql.ts'
import type { Bundle } from './schema.ts'

interface BundleRow {
  id: string
  product_id: string
  name: string
  status: string
  options: { id: string; name: string; quantity: number; price: JsonText<number> }[]
  created_at: string
  updated_at: string
}

export const bundleKind = rowKind<unknown>({
  table: 'bundle',
  columns: (store) => sqlText`id, product_id, name, status, (
    select json_agg(json_build_object('id', o.id, 'name', o.name, 'quantity', o.quantity,
      'price', trim_scale(o.price)::text) order by o.position, o.id)
    from ${t.bundle_option} o where o.store_id = ${store} and o.bundle_id = bundle.id) as options,
    iso(created_at) as created_at, iso(updated_at) as updated_at`,
  texts: (row: BundleRow) => [
    [
      row.id,
      object<Bundle>({
        id: value(row.id),
        product_id: value(row.product_id),
        name: value(row.name),
        status: value(row.status),
        options: array(
          (row.options ?? []).map(({ id, name, quantity, price }) =>
            object<Bundle['options'][number]>({ id: value(id), name: value(name), quantity: value(quantity), price }),
          ),
        ),
        created_at: value(row.created_at),
        updated_at: value(row.updated_at),
      }),
    ],
  ],
})
