import { type Sql, sqlText } from '../storage/sql.ts'

/**
 * The rest of a condition on `change c`, beside `feed f`: skips numbered changes, which vacuum has yet to remove. A feed of a
 * distributed database has no floor: each machine counts `n` for itself.
 */
export const UNNUMBERED: Sql = sqlText` and c.n > coalesce(f.floor_n, 0)`
