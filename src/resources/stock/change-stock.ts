import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ValidationErrors } from '../../errors.ts'
import { type Line, writeStock } from './queries.ts'
import { errorsOf } from './rules.ts'
import type { StockChange } from './schema.ts'

const shown = (change: StockChange, line: Line, quantity: number | null) => ({
  variant_id: line.id,
  product_id: line.product_id,
  sku: line.sku,
  quantity,
  previous_quantity: line.before,
  errors: errorsOf(change, line),
})

/** Returns the stock of each line as JSON. With `atomic`, a line that cannot be applied refuses all. */
export const changeStock = async (
  db: Tx,
  store: StoreId,
  changes: readonly StockChange[],
  atomic: boolean,
): Promise<string> => {
  const lines = await writeStock(db, store, changes, atomic)
  // Another line may have changed the variant of a line that was refused.
  const changed = new Map(lines.flatMap(({ id, after, problem }) => (problem === null ? [[id, after]] : [])))
  const results = lines.map((line, n) => shown(changes[n] as StockChange, line, changed.get(line.id) ?? line.before))
  if (atomic) {
    const refused = new ValidationErrors()
    for (const [n, { errors }] of results.entries())
      for (const [field, messages] of Object.entries(errors))
        for (const message of messages) refused.add(`stock.${n}.${field}`, message)
    refused.throwIfAny()
  }
  return JSON.stringify(results)
}

/** The current stock of each line, for a retry whose first reply was too large to be stored. */
export const currentStock = async (db: Db, store: StoreId, changes: readonly StockChange[]): Promise<string> => {
  const unchanged = changes.map(({ quantity: _quantity, ...change }) => ({ ...change, delta: 0 }))
  return changeStock(db as Tx, store, unchanged, false)
}
