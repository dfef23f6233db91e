import { isDistributed } from '../storage/distributed.ts'
import { type Sql, sqlText } from '../storage/sql.ts'

/**
 * The rest of a condition on `change c`, beside `feed f`: skips numbered changes, which vacuum has yet to remove. Not on
 * Citus, where each machine counts `n` for itself: after a shard has moved, new changes may have lower numbers.
 */
export const unnumbered = (): Sql => (isDistributed() ? sqlText`` : sqlText` and c.n > coalesce(f.floor_n, 0)`)
