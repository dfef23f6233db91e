import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { creation, extension, Integer, Money, nullable, oneOf, Text, Uuid } from '../../core/input/schemas.ts'
import { STATUSES } from './schema.ts'

export const MAX_OPTIONS = 100
export const MAX_VARIANTS = 2_000
export const MAX_IMAGES = 250
/** Total over all options of a product. */
export const MAX_OPTION_VALUES = 2_000
/** Variants × options: each variant has a value of each option. */
export const MAX_CHOICES = 20_000
/** Size of all text of a product, in UTF-8. */
export const MAX_PRODUCT_BYTES = 1024 * 1024

const Order = Type.Optional(Integer())
const Removal = Type.Optional(extension(Type.Boolean({ description: 'true: deletes the item with this id.' })))
const optional = <T extends TProperties>(properties: T) => Type.Partial(Type.Object(properties)).properties

/** Not blank. */
const Name = Type.String({ maxLength: 255, pattern: '\\S', errorMessage: 'must be a string of 1 to 255 characters' })
const Link = Type.Object({ id: Uuid, order: Order })

const OptionInput = Type.Object({
  id: Type.Optional(Uuid),
  order: Order,
  name: Type.Optional(Name),
  values: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Optional(extension(Uuid)),
        order: Order,
        value: Type.Optional(Name),
        _delete: Removal,
      }),
      {
        maxItems: MAX_OPTION_VALUES,
        description:
          'Matched by id, else by value. Unknown values are added, values that are not listed stay. A product ' +
          'has at most 2,000 values in all.',
      },
    ),
  ),
  _delete: Removal,
})

/** Fields that a product without options may have at the top level. */
const shorthand = {
  price: Money(),
  compare_price: Money(),
  sku: nullable(Text(255)),
  quantity: Integer({ minimum: 0 }),
}

export const SHORTHAND = ['price', 'compare_price', 'sku', 'quantity'] as const

const stock = optional({
  ...shorthand,
  quantity: Integer({
    description:
      '0 or more. A negative quantity, which overselling causes, may be sent back unchanged, and imported with ' +
      'POST /bulk.',
  }),
  quantity_delta: extension(Integer({ description: 'Added to the current quantity, instead of setting it.' })),
  file: nullable(Uuid),
})

const VariantInput = Type.Object({
  id: Type.Optional(Uuid),
  ...stock,
  image: Type.Optional(nullable(Type.String({ format: 'uuid', description: 'Id of an image file.' }))),
  values: Type.Optional(
    Type.Array(Type.Object({ order: Order, value: Name }), {
      maxItems: MAX_OPTIONS,
      description:
        'One value of each option. `order` is the order of the option; without it, the position in this list ' +
        'counts. If that option does not have the value, the only option that has it is used.',
    }),
  ),
  _delete: Removal,
})

const DefaultInput = Type.Object(stock)

const short = <T extends TSchema>(field: string, schema: T): T =>
  extension({ ...schema, description: `Short for \`default.${field}\`.` })

const details = optional({
  slug: Type.String({
    maxLength: 255,
    pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}-]*$',
    errorMessage: 'must be at most 255 letters, digits and hyphens',
    description: 'Unique in the store, ignoring case. On create, made from the title by default.',
  }),
  description: nullable(Text(65_536)),
  page_title: nullable(Text(255)),
  meta_description: nullable(Text(1_024)),
  status: oneOf(STATUSES),
  is_digital: Type.Boolean(),
  stock_tracked: extension(Type.Boolean({ description: 'false: the product never runs out of stock.' })),
  allow_order_when_oos: extension(
    Type.Boolean({ description: 'true: the product can be ordered when it is out of stock.' }),
  ),
  category_id: nullable(Uuid),
  images: Type.Array(Link, { maxItems: MAX_IMAGES, description: 'Ids of image files.' }),
  options: Type.Array(OptionInput, { maxItems: MAX_OPTIONS }),
  variants: Type.Array(VariantInput, {
    maxItems: MAX_VARIANTS,
    description: 'A product has at most 2,000 variants, and variants × options is at most 20,000.',
  }),
  default: DefaultInput,
  price: short('price', shorthand.price),
  compare_price: short('compare_price', shorthand.compare_price),
  sku: short('sku', shorthand.sku),
  quantity: short('quantity', shorthand.quantity),
  properties: Type.Array(Type.Object({ name: Name, value: Text(4_096) }), { maxItems: 250 }),
  ugc_videos: Type.Array(Link, { maxItems: MAX_IMAGES, description: 'Ids of video files.' }),
})

export const NewProduct = creation({ title: Name, ...details })
export const ProductChanges = Type.Object({ title: Type.Optional(Name), ...details })

export type ProductChanges = Static<typeof ProductChanges>
export type NewProduct = Static<typeof NewProduct>
export type OptionInput = Static<typeof OptionInput>
export type VariantInput = Static<typeof VariantInput>
export type StockInput = Static<typeof DefaultInput>
