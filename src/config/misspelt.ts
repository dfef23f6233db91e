/** Edit distance, in which swapping two neighbouring letters counts as one edit. */
const distance = (one: string, other: string): number => {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1
      const at = (up: number, left: number) => rows[i - up]?.[j - left] ?? 0
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, at(1, 1) + same, swapped ? at(2, 2) + 1 : Infinity)
    }
    rows.push(row)
  }
  return rows[one.length]?.[other.length] ?? 0
}

/** Short names get less tolerance, because they are close to many other words. */
const maxDistance = (name: string) => (name.length > 5 ? 2 : 1)

/** The known name that was probably meant. */
export const closestName = (name: string, known: readonly string[]): string | undefined => {
  const [closest] = known
    // Comparing takes time in proportion to both lengths, and callers choose one of them.
    .filter((other) => Math.abs(name.length - other.length) <= maxDistance(other))
    .map((other) => ({ other, edits: distance(name, other) }))
    .filter(({ other, edits }) => edits <= maxDistance(other))
    .sort((one, other) => one.edits - other.edits)
  return closest?.other
}

/** A warning for each variable that looks like a misspelt setting. */
export const misspeltSettings = (env: NodeJS.ProcessEnv, known: readonly string[]): string[] =>
  Object.keys(env)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const unset = known.filter((setting) => env[setting] === undefined)
      const meant = closestName(name.toUpperCase(), unset)
      return meant ? [`${name} is not a setting: did you mean ${meant}?`] : []
    })
