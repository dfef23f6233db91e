import { type Fields, type JsonText, object } from './json-text.ts'

// Changes fields of a JSON text without parsing the rest: the text stays as it is, its holes too.

const [QUOTE, BACKSLASH, COMMA, MARK] = ['"', '\\', ',', '\u0001'].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
]
const OPENING = new Set([...'{['].map((sign) => sign.charCodeAt(0)))
const CLOSING = new Set([...'}]'].map((sign) => sign.charCodeAt(0)))

/** Where a string or hole ends that begins here. */
const endOf = (text: string, start: number) => {
  const mark = text.charCodeAt(start)
  let end = start + 1
  while (text.charCodeAt(end) !== mark) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1
  return end
}

/** The fields of an object or the elements of an array, as text. They may contain holes. */
const partsOf = (text: string): string[] => {
  const parts: string[] = []
  let depth = 0
  let start = 1
  for (let at = 1; at < text.length - 1; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE || sign === MARK) at = endOf(text, at)
    else if (sign === COMMA && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    } else if (OPENING.has(sign)) depth++
    else if (CLOSING.has(sign)) depth--
  }
  if (start < text.length - 1) parts.push(text.slice(start, -1))
  return parts
}

export const elementsOf = <T>(text: JsonText<readonly T[]>) => partsOf(text) as JsonText<T>[]

/** The fields of an object. */
export const fieldsOf = <T extends object>(text: JsonText<T>) => {
  const fields: Record<string, string> = {}
  for (const part of partsOf(text)) {
    const nameEnd = endOf(part, 0)
    fields[part.slice(1, nameEnd)] = part.slice(nameEnd + 2)
  }
  return fields as Fields<T>
}

/** An object in which some fields are others, or which has some more. */
export const withFields = <T extends object, Name extends keyof T>(
  text: JsonText<Omit<T, Name>>,
  fields: Fields<Pick<T, Name>>,
): JsonText<T> => object<T>({ ...fieldsOf(text), ...fields } as Fields<T>)
