/** Writes a value of a column as JSON: the same bytes as PostgreSQL's own functions. */
export const value = (given: string | number | boolean | null): string => JSON.stringify(given)

/** An object whose fields are JSON text already, in their sequence; holes are welcome. */
export const object = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .map(([name, text]) => `"${name}":${text}`)
    .join()}}`

export const array = (elements: readonly string[]): string => `[${elements.join()}]`
