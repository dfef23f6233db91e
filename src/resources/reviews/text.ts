import { hole, holes } from '../../core/reading/holes.ts'
import { array, object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText, t } from '../../core/storage/sql.ts'
import type { Review } from './schema.ts'

interface ReviewRow {
  id: string
  content: string
  status: string
  rating: number
  reviewer_name: string
  reviewer_email: string
  created_at: string
  updated_at: string
  product_id: string
  images: string[] | null
}

export const reviewKind = rowKind<unknown>({
  table: 'review',
  columns: (store) => sqlText`id, content, status, rating, reviewer_name, reviewer_email, iso(created_at) as created_at,
    iso(updated_at) as updated_at, product_id,
    (select json_agg(l.file_id order by l.position, l.id) from ${t.file_link} l
      where l.store_id = ${store} and l.review_id = review.id and l.role = 'review_images') as images`,
  texts: (row: ReviewRow) => [
    [
      row.id,
      object<Review>({
        id: value(row.id),
        content: value(row.content),
        status: value(row.status),
        rating: value(row.rating),
        reviewer_name: value(row.reviewer_name),
        reviewer_email: value(row.reviewer_email),
        created_at: value(row.created_at),
        updated_at: value(row.updated_at),
        images: array([holes('file', row.images ?? [])]),
        product: hole('product', row.product_id),
      }),
    ],
  ],
  fillings: {
    file: ({ store, ids }) => ({
      ids: sqlText`select file_id from ${t.file_link} where store_id = ${store} and review_id = any(${ids})`,
    }),
    product: ({ store, ids }) => ({
      ids: sqlText`select product_id from ${t.review} where store_id = ${store} and id = any(${ids})`,
    }),
  },
})
