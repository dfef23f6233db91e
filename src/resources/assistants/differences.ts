// biome-ignore lint/suspicious/noExplicitAny: resources of every kind.
type Json = any

/** Changes with every write, or with every reader. */
const UNSHOWN = new Set(['updated_at', 'url', 'thumbnail', 'checkout_link', 'thank_you_link'])

const MAX_TEXT = 120

const shown = (value: Json): Json =>
  typeof value === 'string' && value.length > MAX_TEXT
    ? `${value.slice(0, MAX_TEXT)}… (${value.length} characters)`
    : value

/** Every value that is not an object or a list, by its dotted path. */
const leavesOf = (value: Json, path = '', into = new Map<string, Json>()) => {
  if (value === null || typeof value !== 'object') into.set(path, value)
  else if (Object.keys(value).length === 0) into.set(path, Array.isArray(value) ? '[]' : '{}')
  else
    for (const [key, inner] of Object.entries(value))
      if (!UNSHOWN.has(key)) leavesOf(inner, path ? `${path}.${key}` : key, into)
  return into
}

const isEmpty = (value: Json) => [null, undefined, '', 0, false, '[]', '{}'].includes(value)

/** `{path: [before, after]}` of everything that differs. */
export const differences = (before: Json, after: Json): Record<string, [Json, Json]> => {
  const [old, fresh] = [leavesOf(before), leavesOf(after)]
  const changed: Record<string, [Json, Json]> = {}
  for (const path of new Set([...old.keys(), ...fresh.keys()])) {
    const [one, other] = [old.get(path) ?? null, fresh.get(path) ?? null]
    if (one !== other && !(isEmpty(one) && isEmpty(other))) changed[path] = [shown(one), shown(other)]
  }
  return changed
}

/** What a new resource has, without what is empty and what is nested. */
export const contentsOf = (resource: Json): Record<string, Json> =>
  Object.fromEntries(
    [...leavesOf(resource)]
      .filter(
        ([path, value]) =>
          !isEmpty(value) && !/(^|\.)(id|created_at|\w+_id)$/.test(path) && path.split('.').length <= 3,
      )
      .map(([path, value]) => [path, shown(value)]),
  )
