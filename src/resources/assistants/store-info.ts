import { sql } from 'kysely'
import { API_PREFIX } from '../../config/config.ts'
import type { ToolContext } from './tool-context.ts'

const COUNTED: Record<string, [permission: string, path: string]> = {
  orders: ['order:view', '/order'],
  products: ['product:view', '/product'],
  customers: ['customer:view', '/customer'],
  reviews: ['review:view', '/review'],
  pages: ['landing_page:view', '/landing-page'],
}

/** `product: view, update` of `product:view`, `product:update`. */
const bySubject = (permissions: Iterable<string>) => {
  const subjects: Record<string, string> = {}
  for (const permission of [...permissions].sort()) {
    const [subject = '', action = ''] = permission.split(':')
    subjects[subject] = subjects[subject] ? `${subjects[subject]}, ${action}` : action
  }
  return subjects
}

/** Who the store is, what the caller may do there, and how much there is. */
export const storeInfo = async ({ db, store, callApi, permissions, caller, storePage }: ToolContext) => {
  const row = await db
    .selectFrom('store')
    .select(['id', 'name', 'domain', 'currency', 'time_zone', 'language'])
    .where('id', '=', store)
    .executeTakeFirstOrThrow()
  const languages = permissions.has('landing_page:view')
    ? await sql<{ lang: string }>`select distinct lang from landing_page where store_id = ${store} order by 1`.execute(
        db,
      )
    : undefined
  const counts: Record<string, number> = {}
  for (const [name, [permission, path]] of Object.entries(COUNTED)) {
    if (!permissions.has(permission)) continue
    const reply = await callApi({ method: 'GET', url: `${API_PREFIX}${path}?page_size=1&fields=id` })
    if (reply.status === 200) counts[name] = reply.body.data.pagination.total
  }
  return {
    store_data: {
      ...row,
      languages: [...new Set([row.language, ...(languages?.rows.map(({ lang }) => lang) ?? [])])],
      console: storePage(''),
    },
    counts,
    you: {
      app: caller.app.name,
      ...(caller.app.account && { on_behalf_of: caller.app.account.name }),
      may: bySubject(permissions),
    },
    now: new Date().toISOString(),
  }
}
