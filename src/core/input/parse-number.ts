/** What the console uses too: this file imports nothing. */

/** With the digits of an Arabic or a Persian keyboard written as those of a Latin one. */
export const latinDigits = (text: string) =>
  text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))

/** `1,5`, `1 234,50` and `١٢٫٥` are numbers too. What is none stays as it is, for the API to say so. */
export const parseNumber = (text: string): number | string => {
  const latin = latinDigits(text).replaceAll('\u066b', '.').replaceAll('\u066c', '')
  const bare = latin.replace(/[\s\u00a0\u202f'’]/g, '')
  const decimal = Math.max(bare.lastIndexOf(','), bare.lastIndexOf('.'))
  const separators = bare.match(/[.,]/g) ?? []
  const plain =
    separators.length === 0
      ? bare
      : new Set(separators).size === 1 && separators.length > 1
        ? bare.replace(/[.,]/g, '')
        : `${bare.slice(0, decimal).replace(/[.,]/g, '')}.${bare.slice(decimal + 1)}`
  return /^-?\d+(\.\d*)?$/.test(plain) ? Number(plain) : text
}
