const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g
const ADDRESS = /127\.0\.0\.1:\d+|proof-[0-9a-f]{12}\.localhost/g
const CURSOR = /"(?:next_)?cursor":"[^"]+"/g
const FEED = /evt_[0-9a-f]{12}/g
const REF = /"ref":"([^"]+)"/g
const WORD = /[A-Za-z0-9]+/g

/**
 * Replaces what a service makes up itself: ids and references by their place in the sequence in which they were first shown,
 * which is the same for two services that are asked the same; times, addresses, feeds and cursors by one word each.
 */
export const createMask = () => {
  const ids = new Map<string, string>()
  const refs = new Map<string, string>()
  const nameIn = (known: Map<string, string>, kind: string, made: string) => {
    const name = known.get(made) ?? `${kind}-${known.size + 1}`
    known.set(made, name)
    return name
  }
  return (text: string): string => {
    for (const [, ref] of text.matchAll(REF)) nameIn(refs, 'ref', ref as string)
    return text
      .replace(CURSOR, '"cursor":"cursor"')
      .replace(FEED, 'evt')
      .replace(ADDRESS, 'address')
      .replace(UUID, (id) => nameIn(ids, 'id', id))
      .replace(TIME, 'time')
      .replace(WORD, (word) => refs.get(word) ?? word)
  }
}
