import { type Static, Type } from 'typebox'
import { extension, nullable, oneOf, ref, resource, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { Category } from '../categories/schema.ts'
import { File } from '../files/schema.ts'

const closed = { additionalProperties: false }

export const STATUSES = ['active', 'inactive'] as const

export const Option = resource(
  'Option',
  Type.Object(
    {
      id: Uuid,
      name: Type.String(),
      order: Type.Integer(),
      values: Type.Array(Type.Object({ id: Uuid, value: Type.String(), order: Type.Integer() }, closed)),
    },
    closed,
  ),
)
export type Option = Static<typeof Option>

export const Variant = resource(
  'Variant',
  Type.Object(
    {
      id: Uuid,
      product_id: Uuid,
      title: Type.String({
        description: 'The option values joined, or the title of the product if it has no options.',
      }),
      price: Type.Number(),
      compare_price: Type.Number(),
      sku: nullable(Type.String()),
      quantity: Type.Integer(),
      image: nullable(ref(File)),
      file: nullable(ref(File)),
      values: Type.Array(
        Type.Object(
          {
            id: Uuid,
            option_id: Uuid,
            order: Type.Integer({ description: 'Sort order of the option.' }),
            value: Type.String(),
          },
          closed,
        ),
      ),
      created_at: Timestamp,
      updated_at: Timestamp,
    },
    closed,
  ),
)
export type Variant = Static<typeof Variant>

export const Product = resource(
  'Product',
  Type.Object(
    {
      id: Uuid,
      slug: Type.String(),
      title: Type.String(),
      description: nullable(
        Type.String({
          description:
            'Any text, returned as it was sent. The console writes bold, lists and links in Markdown; imported texts may be ' +
            'HTML. Sanitise it where you show it.',
        }),
      ),
      page_title: nullable(Type.String()),
      meta_description: nullable(Type.String()),
      is_digital: Type.Boolean(),
      status: oneOf(STATUSES),
      stock_tracked: Type.Boolean(),
      allow_order_when_oos: Type.Boolean(),
      created_at: Timestamp,
      updated_at: extension(
        Type.String({
          format: 'date-time',
          description: 'When the product was changed. Stock does not count: see `updated_at` of the variants.',
        }),
      ),
      image: nullable(ref(File)),
      images: Type.Array(ref(File)),
      ugc_videos: Type.Array(ref(File)),
      options: Type.Array(ref(Option)),
      variants: Type.Array(ref(Variant), { description: 'Empty for a product without options.' }),
      category: nullable(ref(Category)),
      default: nullable(ref(Variant)),
      properties: Type.Array(Type.Object({ id: Uuid, name: Type.String(), value: Type.String() }, closed)),
    },
    closed,
  ),
)
export type Product = Static<typeof Product>
