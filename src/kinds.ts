import { countryKind } from './countries/text.ts'
import { customerKind } from './customers/text.ts'
import type { FileUrls } from './files/file-urls.ts'
import { renderOrders } from './orders/queries.ts'
import type { Kinds } from './reading/texts.ts'

/** Every kind of text that a hole may ask for, by the name it goes by in holes. */
export const kinds: Kinds<FileUrls> = {
  country: countryKind,
  customer: customerKind,
  order: { render: renderOrders },
}
