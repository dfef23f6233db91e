/** The rows of each key, in their sequence. */
export const groupBy = <Row>(given: readonly Row[], key: (row: Row) => string) => {
  const groups = new Map<string, Row[]>()
  for (const row of given) {
    const name = key(row)
    const group = groups.get(name)
    if (group) group.push(row)
    else groups.set(name, [row])
  }
  return (name: string): Row[] => groups.get(name) ?? []
}
