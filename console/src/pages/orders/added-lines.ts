import type { EditedLine } from './LineEditor.tsx'
import type { Found } from './VariantFinder.tsx'

/** A line that the order does not have yet, as typed. */
export interface Added {
  found: Found
  quantity: string
  price: string
}

/** One more of what was added before, or a line of its own. */
export const addFound = (added: readonly Added[], found: Found): readonly Added[] => {
  const known = added.findIndex((line) => line.found.variant.id === found.variant.id)
  if (known < 0) return [...added, { found, quantity: '1', price: String(found.variant.price) }]
  return added.map((line, place) => {
    const quantity = Number(line.quantity)
    return place === known && Number.isInteger(quantity) ? { ...line, quantity: String(quantity + 1) } : line
  })
}

export const editedLine = (
  { found, quantity, price }: Added,
  set: (changes: Partial<Added>) => void,
  errors: (field: 'quantity' | 'price') => readonly string[] | undefined,
): EditedLine => ({
  key: found.variant.id,
  title: found.title,
  detail: found.detail,
  sku: found.variant.sku,
  image: found.image,
  held: 0,
  stock: found.stock,
  quantity: { value: quantity, errors: errors('quantity'), onChange: ({ target }) => set({ quantity: target.value }) },
  price: { value: price, errors: errors('price'), onChange: ({ target }) => set({ price: target.value }) },
})
