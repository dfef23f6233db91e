import { bundleKind } from './bundles/text.ts'
import { carrierKind } from './carriers/text.ts'
import { categoryKind } from './categories/text.ts'
import { countryKind } from './countries/text.ts'
import { customerKind } from './customers/text.ts'
import type { FileUrls } from './files/file-urls.ts'
import { fileKind } from './files/text.ts'
import { landingPageKind } from './landing-pages/text.ts'
import { renderOrders } from './orders/queries.ts'
import { paymentMethodKind } from './payment-methods/text.ts'
import { productKind, stockKind, variantKind } from './products/text.ts'
import type { Kinds } from './reading/texts.ts'
import { reviewKind } from './reviews/text.ts'

/** Every kind of text that a hole may ask for, by the name it goes by in holes. */
export const kinds: Kinds<FileUrls> = {
  bundle: bundleKind,
  category: categoryKind,
  country: countryKind,
  customer: customerKind,
  file: fileKind,
  landing_page: landingPageKind,
  order: { render: renderOrders },
  payment_method: paymentMethodKind,
  product: productKind,
  review: reviewKind,
  shipping_carrier: carrierKind,
  stock: stockKind,
  variant: variantKind,
}
