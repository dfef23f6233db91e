import type { Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { ValidationErrors } from '../../errors.ts'
import type { NewOrder } from './order-input.ts'

type GivenLine = NonNullable<NewOrder['variants']>[number]

/** A given line with the id of its variant, which is null if the line was refused. */
export type NamedLine = Omit<GivenLine, 'variant_id'> & {
  variant_id: string | null
  /** Its place in the request. */
  given: number
}

export const UNKNOWN_SKU = 'must be the SKU of a variant'

/** The field by which a line names its variant, for error messages. */
export const variantField = ({ given, sku }: Pick<NamedLine, 'given' | 'sku'>) =>
  `variants.${given}.${sku === undefined ? 'variant_id' : 'sku'}`

/** Two variants are enough to know that a SKU is ambiguous. */
const FIND_BY_SKU = sqlText`
  select g.sku, v.id from unnest($2::text[]) g (sku)
  cross join lateral (select id from variant where store_id = $1 and sku = g.sku limit 2) v`

/** The ids of each SKU's variants. */
const findBySku = async (db: Tx, store: StoreId, lines: readonly GivenLine[]) => {
  const ids = new Map<string, string[]>()
  for (const { sku, variant_id } of lines) if (sku !== undefined && variant_id === undefined) ids.set(sku, [])
  if (ids.size === 0) return ids
  const rows = await runSql<{ sku: string; id: string }>(db, FIND_BY_SKU, [store, [...ids.keys()]])
  for (const { sku, id } of rows) ids.get(sku)?.push(id)
  return ids
}

/** Finds the variants of lines that give a SKU. The caller locks them, and must then compare the SKU again. */
export const nameVariants = async (
  db: Tx,
  store: StoreId,
  lines: readonly GivenLine[],
  errors: ValidationErrors,
): Promise<NamedLine[]> => {
  const bySku = await findBySku(db, store, lines)
  const nameVariant = ({ variant_id, sku }: GivenLine, given: number) => {
    const refuse = (field: 'variant_id' | 'sku', message: string) => {
      errors.add(`variants.${given}.${field}`, message)
      return null
    }
    if (sku === undefined) return variant_id ?? refuse('variant_id', 'or sku is required')
    if (variant_id !== undefined) return refuse('sku', 'cannot be given together with variant_id')
    const [id, another] = bySku.get(sku) ?? []
    if (another) return refuse('sku', 'belongs to several variants: use variant_id')
    return id ?? refuse('sku', UNKNOWN_SKU)
  }
  return lines.map((line, given) => ({ ...line, given, variant_id: nameVariant(line, given) }))
}
