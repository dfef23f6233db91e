import { bulkJobKind } from './bulk/text.ts'
import { bundleKind } from './bundles/text.ts'
import { carrierKind } from './carriers/text.ts'
import { categoryKind } from './categories/text.ts'
import { countryKind } from './countries/text.ts'
import { customerKind } from './customers/text.ts'
import { domainKind } from './domains/text.ts'
import type { FileUrls } from './files/file-urls.ts'
import { fileKind } from './files/text.ts'
import { landingPageKind } from './landing-pages/text.ts'
import { deliveryKind, orderKind, refundKind, returnKind } from './orders/text.ts'
import { trackingLinkKind } from './orders/tracking-link.ts'
import { paymentMethodKind } from './payment-methods/text.ts'
import { policyKind } from './policies/text.ts'
import { imageUrlKind, productKind, stockKind, variantKind } from './products/text.ts'
import type { Kinds } from './reading/texts.ts'
import { reviewKind } from './reviews/text.ts'
import { storeDomainKind } from './stores/text.ts'

/** Every kind of text that a hole may ask for, by the name it goes by in holes. */
export const kinds: Kinds<FileUrls> = {
  bulk_job: bulkJobKind,
  bundle: bundleKind,
  category: categoryKind,
  country: countryKind,
  customer: customerKind,
  delivery: deliveryKind,
  domain: domainKind,
  file: fileKind,
  image_url: imageUrlKind,
  landing_page: landingPageKind,
  order: orderKind,
  order_return: returnKind,
  payment_method: paymentMethodKind,
  policy: policyKind,
  product: productKind,
  refund: refundKind,
  review: reviewKind,
  shipping_carrier: carrierKind,
  stock: stockKind,
  store_domain: storeDomainKind,
  tracking_link: trackingLinkKind,
  variant: variantKind,
}
