import { sql } from 'kysely'
import { decimal, thousandths } from '../../core/input/money.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { ValidationErrors } from '../../errors.ts'
import { type NamedLine, variantField } from './name-variants.ts'

/** A line of the order to be written. A given line becomes two if its price is not a multiple of its units. */
export interface OrderedLine {
  variant_id: string
  /** The SKU that names the variant, if it is not named by its id. */
  sku?: string | undefined
  quantity: number
  price?: number | string
  /** Which of the given lines it comes from. */
  given: number
}

interface Option {
  bundle_name: string
  name: string
  quantity: number
  price: string
  /** Of the ordered variants, those of the bundle's product. */
  variants: string[]
}

/** An option of an active bundle. */
const findOption = async (db: Tx, store: StoreId, id: string, variants: readonly string[]) => {
  const { rows } = await sql<Option>`
    select b.name as bundle_name, o.name, o.quantity, o.price, array(
      select v.id::text from variant v
      where v.store_id = ${store} and v.product_id = b.product_id and v.id = any(${variants}::uuid[])) as variants
    from bundle_option o join bundle b on b.store_id = ${store} and b.id = o.bundle_id
    where o.store_id = ${store} and o.id = ${id} and b.status = 'active'`.execute(db)
  return rows[0]
}

/** What an order keeps of its bundle. */
export interface BundleCopy {
  bundle_name: string | null
  bundle_option_name: string | null
  bundle_price: string | null
}

export const NO_BUNDLE: BundleCopy = { bundle_name: null, bundle_option_name: null, bundle_price: null }

const checkBundle = (
  lines: readonly NamedLine[],
  bundled: readonly NamedLine[],
  option: Option | undefined,
  errors: ValidationErrors,
) => {
  for (const { given, quantity, bundle_option_id } of lines)
    if (quantity === undefined && !bundle_option_id) errors.add(`variants.${given}.quantity`, 'is required')
  for (const { given, variant_id, sku, price, bundle_option_id } of bundled) {
    if (price !== undefined) errors.add(`variants.${given}.price`, 'must not be given with bundle_option_id')
    if (bundle_option_id !== bundled[0]?.bundle_option_id)
      errors.add(`variants.${given}.bundle_option_id`, 'must be the same in all lines: an order has one bundle')
    else if (!option) errors.add(`variants.${given}.bundle_option_id`, 'must be an option of an active bundle')
    else if (variant_id !== null && !option.variants.includes(variant_id))
      errors.add(variantField({ given, sku }), "must be a variant of the bundle's product")
  }
  if (!option) return
  const own = bundled.filter(({ bundle_option_id }) => bundle_option_id === bundled[0]?.bundle_option_id)
  const units = own.reduce((sum, { quantity = option.quantity }) => sum + quantity, 0)
  if (units !== option.quantity)
    for (const { given } of own)
      errors.add(`variants.${given}.quantity`, `must add up to the ${option.quantity} units of the bundle`)
}

/** Divides the price of the bundle among its units, to the last thousandth: some units cost a thousandth more. */
const priceUnits = (bundled: readonly NamedLine[], option: Option) => {
  const units = BigInt(option.quantity)
  const price = thousandths(option.price)
  let dearer = Number(price % units)
  return bundled.flatMap(({ variant_id, sku, given, quantity = option.quantity }) => {
    const more = Math.min(dearer, quantity)
    dearer -= more
    const parts = [
      { quantity: quantity - more, price: decimal(price / units) },
      { quantity: more, price: decimal(price / units + 1n) },
    ]
    return parts.filter((part) => part.quantity > 0).map((part) => ({ variant_id, sku, given, ...part }))
  })
}

/** The lines of a new order whose variant is known. Those of a bundle get their share of its price; the order keeps its names and price. */
export const readLines = async (
  db: Tx,
  store: StoreId,
  lines: readonly NamedLine[],
  errors: ValidationErrors,
): Promise<{ newLines: OrderedLine[]; bundle: BundleCopy | undefined }> => {
  const bundled = lines.filter(({ bundle_option_id }) => bundle_option_id)
  const [first] = bundled
  const option =
    first?.bundle_option_id === undefined
      ? undefined
      : await findOption(
          db,
          store,
          first.bundle_option_id,
          bundled.flatMap(({ variant_id }) => variant_id ?? []),
        )
  checkBundle(lines, bundled, option, errors)
  const plain = lines
    .filter(({ bundle_option_id }) => !bundle_option_id)
    .map(({ variant_id, sku, quantity = 1, price, given }) => ({
      variant_id,
      sku,
      quantity,
      given,
      ...(price !== undefined && { price }),
    }))
  const newLines = option ? [...plain, ...priceUnits(bundled, option)] : plain
  return {
    newLines: newLines
      .flatMap(({ variant_id, ...line }): OrderedLine[] => (variant_id === null ? [] : [{ variant_id, ...line }]))
      .sort((a, b) => a.given - b.given),
    bundle: option && {
      bundle_name: option.bundle_name,
      bundle_option_name: option.name,
      bundle_price: option.price,
    },
  }
}
