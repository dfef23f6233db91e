// QR codes (ISO/IEC 18004) of a text: bytes, level L, mask 0, up to version 20. That is enough for an address.

/** Codewords for error correction in each block, and the number of blocks, by version. */
const CORRECTION = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
const BLOCKS = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]
const MAX_VERSION = 20

const sizeOf = (version: number) => 17 + 4 * version

/** Where the centres of the alignment patterns are, in both directions. */
const alignments = (version: number) => {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((sizeOf(version) - 13) / (2 * count - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, place) => sizeOf(version) - 7 - (count - 2 - place) * step)]
}

/** Modules that carry data, in codewords of eight. */
const capacityOf = (version: number) => {
  const count = alignments(version).length
  const aligned = count === 0 ? 0 : 25 * (count * count - 3) - 10 * (count - 2)
  const modules = sizeOf(version) ** 2 - 3 * 64 - 2 * (sizeOf(version) - 16) - 31 - aligned - (version < 7 ? 0 : 36)
  return Math.floor(modules / 8)
}

/** Products in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
const multiply = (a: number, b: number) => {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> bit) & 1) * a)
  return product
}

/** The remainder of a block after division by the generator polynomial of this degree. */
const correctionOf = (block: readonly number[], degree: number) => {
  const generator = Array<number>(degree).fill(0)
  generator[degree - 1] = 1
  let root = 1
  for (let power = 0; power < degree; power++) {
    for (let place = 0; place < degree; place++)
      generator[place] = multiply(generator[place] as number, root) ^ (generator[place + 1] ?? 0)
    root = multiply(root, 2)
  }
  const remainder = Array<number>(degree).fill(0)
  for (const byte of block) {
    const factor = byte ^ (remainder.shift() as number)
    remainder.push(0)
    for (const [place, coefficient] of generator.entries())
      remainder[place] = (remainder[place] as number) ^ multiply(coefficient, factor)
  }
  return remainder
}

/** Length and bytes of the text, padded to what the version holds. */
const dataOf = (bytes: Uint8Array, version: number, total: number) => {
  const bits: number[] = []
  const add = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1)
  }
  add(4, 4)
  add(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) add(byte, 8)
  add(0, Math.min(4, total * 8 - bits.length))
  add(0, -bits.length & 7)
  const data: number[] = []
  for (let at = 0; at < bits.length; at += 8)
    data.push(bits.slice(at, at + 8).reduce((byte, bit) => (byte << 1) | bit, 0))
  for (let pad = 0xec; data.length < total; pad ^= 0xec ^ 0x11) data.push(pad)
  return data
}

/** Data and error correction of all blocks, a codeword of each in turn. The last blocks may be longer by one. */
const interleave = (data: readonly number[], version: number) => {
  const count = BLOCKS[version] as number
  const degree = CORRECTION[version] as number
  const short = Math.floor(data.length / count)
  const longer = data.length % count
  let start = 0
  const blocks = Array.from({ length: count }, (_, place) => {
    const length = short + (place < count - longer ? 0 : 1)
    start += length
    return data.slice(start - length, start)
  })
  const inTurn = (parts: readonly (readonly number[])[]) =>
    Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, place) =>
      parts.flatMap((part) => (place < part.length ? [part[place] as number] : [])),
    ).flat()
  return [...inTurn(blocks), ...inTurn(blocks.map((block) => correctionOf(block, degree)))]
}

/** Bits with their check bits, after the BCH codes of the standard. */
const withCheck = (value: number, polynomial: number, degree: number) => {
  let rest = value
  for (let n = 0; n < degree; n++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * polynomial)
  return (value << degree) | rest
}

/** The modules of a QR code by row; true is dark. */
export const qrCode = (text: string): boolean[][] => {
  const bytes = new TextEncoder().encode(text)
  const room = (version: number) => capacityOf(version) - (CORRECTION[version] as number) * (BLOCKS[version] as number)
  let version = 1
  while (version <= MAX_VERSION && bytes.length + (version < 10 ? 2 : 3) > room(version)) version++
  if (version > MAX_VERSION) throw new Error('The text is too long for a QR code.')
  const size = sizeOf(version)
  const modules = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined))
  const set = (row: number, column: number, dark: boolean) => {
    const line = modules[row]
    if (line && column >= 0 && column < size) line[column] = dark
  }
  /** Rings around a centre: dark but for one light ring at each of these distances. */
  const rings = (row: number, column: number, radius: number, light: readonly number[]) => {
    for (let y = -radius; y <= radius; y++)
      for (let x = -radius; x <= radius; x++)
        set(row + y, column + x, !light.includes(Math.max(Math.abs(x), Math.abs(y))))
  }

  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    rings(row, column, 4, [2, 4])
  const centres = alignments(version)
  const last = size - 7
  for (const row of centres)
    for (const column of centres)
      if (!((row === 6 && (column === 6 || column === last)) || (row === last && column === 6)))
        rings(row, column, 2, [1])

  // Level L is 01, and mask 0 is 000.
  const format = withCheck(0b01000, 0x537, 10) ^ 0x5412
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((format >>> bit) & 1) === 1
    set(bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, 8, dark)
    set(8, bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit, dark)
  }
  set(size - 8, 8, true)
  if (version >= 7) {
    const number = withCheck(version, 0x1f25, 12)
    for (let bit = 0; bit < 18; bit++) {
      const dark = ((number >>> bit) & 1) === 1
      set(size - 11 + (bit % 3), Math.floor(bit / 3), dark)
      set(Math.floor(bit / 3), size - 11 + (bit % 3), dark)
    }
  }

  // The codewords, upwards and downwards in turn, in columns two modules wide from the right. The timing column is left out.
  const codewords = interleave(dataOf(bytes, version, room(version)), version)
  let bit = 0
  let upwards = true
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < size; step++) {
      const row = upwards ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        if (modules[row]?.[column] !== undefined) continue
        const dark = (((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1
        set(row, column, dark !== ((row + column) % 2 === 0))
        bit++
      }
    }
    upwards = !upwards
  }
  return modules as boolean[][]
}
