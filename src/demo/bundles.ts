import { decimal } from '../core/input/money.ts'
import { foldText } from '../core/input/normalize-text.ts'
import type { Product } from './products.ts'
import { DAY, seededId, TODAY } from './random.ts'
import { BUNDLES } from './sales.ts'
import { STORE } from './store.ts'

const AT = TODAY - 90 * DAY
const time = new Date(AT)
const store_id = STORE.id

/** The bundles that orders of the demo store were sold as, each on a product that is shipped. */
export const bundleRows = (products: readonly Product[]) => {
  const shipped = products.filter(({ note }) => !note.downloads)
  const offers = BUNDLES.map((bundle, index) => ({ bundle, product: shipped[index] as Product }))
  const idOf = (name: string) => seededId('bundle', name, AT)
  return {
    bundle: offers.map(({ bundle: { name }, product }) => ({
      store_id,
      id: idOf(name),
      product_id: product.id,
      name,
      name_key: foldText(name),
      created_at: time,
      updated_at: time,
    })),
    bundle_option: offers.map(({ bundle: { name, option, units, percent }, product }) => {
      const price = (product.variants[0]?.price ?? 0n) * BigInt(units)
      return {
        store_id,
        id: seededId('bundle option', `${name} ${option}`, AT),
        bundle_id: idOf(name),
        position: 0,
        name: option,
        quantity: units,
        price: decimal(price - (price * percent) / 100n),
      }
    }),
  }
}
