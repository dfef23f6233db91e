import { hole } from '../../core/reading/holes.ts'
import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText, t } from '../../core/storage/sql.ts'
import type { LandingPage } from './schema.ts'

interface LandingPageRow {
  id: string
  title: string
  slug: string
  meta_description: string | null
  product_id: string
  domain_id: string | null
  created_at: string
  updated_at: string
  host: string
  path: string
  screenshot_url: string | null
  lang: string
  cod_type: string
  published_at: string | null
}

export const landingPageKind = rowKind<unknown>({
  table: 'landing_page',
  columns: (store) => sqlText`id, title, slug, meta_description, product_id, domain_id, iso(created_at) as created_at,
    iso(updated_at) as updated_at, path, screenshot_url, lang, cod_type, iso(published_at) as published_at,
    coalesce(
      (select d.host from ${t.domain} d where d.store_id = ${store} and d.id = landing_page.domain_id),
      (select s.domain from ${t.store} s where s.id = ${store})) as host`,
  texts: (row: LandingPageRow) => [
    [
      row.id,
      object<LandingPage>({
        id: value(row.id),
        title: value(row.title),
        slug: value(row.slug),
        meta_description: value(row.meta_description),
        product_id: value(row.product_id),
        domain_id: value(row.domain_id),
        created_at: value(row.created_at),
        updated_at: value(row.updated_at),
        product: hole('product', row.product_id),
        url: value(`https://${row.host}/${row.path}`),
        screenshot_url: value(row.screenshot_url),
        lang: value(row.lang),
        cod_type: value(row.cod_type),
        published_at: value(row.published_at),
      }),
    ],
  ],
  fillings: {
    product: ({ store, ids }) => ({
      ids: sqlText`select product_id from ${t.landing_page} where store_id = ${store} and id = any(${ids})`,
    }),
  },
})
