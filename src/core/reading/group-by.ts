/** Groups rows by key, keeping their order. */
export const groupBy = <Row>(rows: readonly Row[], key: (row: Row) => string) => {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const name = key(row)
    const group = groups.get(name)
    if (group) group.push(row)
    else groups.set(name, [row])
  }
  return (name: string): Row[] => groups.get(name) ?? []
}
