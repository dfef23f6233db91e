const HISTORY = ',"history":['
/** Inside of strings, quotes are escaped. */
const NOTE = /"note":"(?:[^"\\]|\\.)*"/g

/** The text of an order without what people have noted. Its history comes last, and no entry has a key of that name. */
export const withoutNotes = (order: string) => {
  const at = order.lastIndexOf(HISTORY)
  return order.slice(0, at) + order.slice(at).replace(NOTE, '"note":null')
}
