import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { creation, extension, Integer, Money, nullable, oneOf, Text, Uuid } from '../input/schemas.ts'
import { STATUSES } from './schema.ts'

export const MAX_OPTIONS = 100
export const MAX_VARIANTS = 2_000
export const MAX_IMAGES = 250
/** Of all options of a product together. */
export const MAX_OPTION_VALUES = 2_000
/** Variants times options: each variant has a value of each. */
export const MAX_CHOICES = 20_000
/** Of all text that a product shows, in UTF-8. */
export const MAX_PRODUCT_BYTES = 1024 * 1024

const Order = Type.Optional(Integer())
const Removal = Type.Optional(extension(Type.Boolean({ description: 'Removes what the id names.' })))
const optional = <T extends TProperties>(properties: T) => Type.Partial(Type.Object(properties)).properties

/** Something other than blanks. */
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
          'Found by id, else by value; a new value is added, the others stay. At most 2,000 in all options of a product.',
      },
    ),
  ),
  _delete: Removal,
})

/** What a product without options may have beside its title, too. */
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
    description: '0 or more; less only unchanged, as read after more was sold than there was.',
  }),
  quantity_delta: extension(
    Integer({ description: 'Adds to the quantity, whatever it is by then, instead of setting it.' }),
  ),
  file: nullable(Uuid),
})

const VariantInput = Type.Object({
  id: Type.Optional(Uuid),
  ...stock,
  image: Type.Optional(nullable(Type.String({ format: 'uuid', description: 'A file that is an image.' }))),
  values: Type.Optional(
    Type.Array(Type.Object({ order: Order, value: Name }), {
      maxItems: MAX_OPTIONS,
      description:
        'One value of each option. `order` names the option by its order, else the place in this list does; a value ' +
        'that only one of the options has is enough by itself.',
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
    description: 'Unique in the store, without regard to case. Missing on create: made from the title.',
  }),
  description: nullable(Text(65_536)),
  page_title: nullable(Text(255)),
  meta_description: nullable(Text(1_024)),
  status: oneOf(STATUSES),
  is_digital: Type.Boolean(),
  stock_tracked: extension(Type.Boolean({ description: 'False: the product never runs out.' })),
  allow_order_when_oos: extension(Type.Boolean({ description: 'True: ordering goes on when nothing is left.' })),
  category_id: nullable(Uuid),
  images: Type.Array(Link, { maxItems: MAX_IMAGES, description: 'Files that are images.' }),
  options: Type.Array(OptionInput, { maxItems: MAX_OPTIONS }),
  variants: Type.Array(VariantInput, {
    maxItems: MAX_VARIANTS,
    description: 'At most 2,000 in all, and 20,000 variants times options.',
  }),
  default: DefaultInput,
  price: short('price', shorthand.price),
  compare_price: short('compare_price', shorthand.compare_price),
  sku: short('sku', shorthand.sku),
  quantity: short('quantity', shorthand.quantity),
  properties: Type.Array(Type.Object({ name: Name, value: Text(4_096) }), { maxItems: 250 }),
  ugc_videos: Type.Array(Link, { maxItems: MAX_IMAGES, description: 'Files that are videos.' }),
})

export const NewProduct = creation({ title: Name, ...details })
export const ProductChanges = Type.Object({ title: Type.Optional(Name), ...details })

export type ProductChanges = Static<typeof ProductChanges>
export type NewProduct = Static<typeof NewProduct>
export type OptionInput = Static<typeof OptionInput>
export type VariantInput = Static<typeof VariantInput>
export type StockInput = Static<typeof DefaultInput>
