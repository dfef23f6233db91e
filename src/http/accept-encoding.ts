export type Encoding = 'br' | 'gzip' | 'identity'

/** The quality of `identity` unless the header mentions it: lower than anything that it does mention. */
const IDENTITY_QUALITY = 0.0001

const readQualities = (header: string) =>
  new Map(
    header
      .toLowerCase()
      .split(',')
      .map((entry) => {
        const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
        const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
        return [name === 'x-gzip' ? 'gzip' : name, quality === undefined ? 1 : Number(quality) || 0] as const
      }),
  )

/** Picks the supported encoding with the highest quality, the best compression among equals, never one with `q=0`. */
export const chooseEncoding = (header: string | string[] | undefined): Encoding => {
  if (header === undefined) return 'identity'
  const given = readQualities(String(header))
  const others = given.get('*') ?? 0
  const wanted: [Encoding, number][] = [
    ['br', given.get('br') ?? others],
    ['gzip', given.get('gzip') ?? others],
    ['identity', given.get('identity') ?? IDENTITY_QUALITY],
  ]
  const best = Math.max(...wanted.map(([, quality]) => quality))
  return best > 0 ? (wanted.find(([, quality]) => quality === best)?.[0] ?? 'identity') : 'identity'
}
