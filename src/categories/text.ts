import { object, value } from '../reading/json-text.ts'
import type { Kind } from '../reading/texts.ts'
import { runSql } from '../storage/statement.ts'

export const categoryKind: Kind<unknown> = {
  render: async (db, store, ids) => {
    const text = 'select id, name from category where store_id = $1 and id = any($2)'
    const rows = await runSql<{ id: string; name: string }>(db, text, [store, ids])
    return new Map(rows.map(({ id, name }) => [id, object({ id: value(id), name: value(name) })]))
  },
}
