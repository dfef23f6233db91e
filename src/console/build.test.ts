import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { allWords } from '../../tests/support/console-words.ts'
import { declaredPages } from '../../tests/support/store-pages.ts'

const DIST = fileURLToPath(new URL('../../dist/console/', import.meta.url))
const SOURCE = fileURLToPath(new URL('../../console/src/', import.meta.url))
const kB = 1024

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

const files = (suffix: string) =>
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(suffix))

describe.skipIf(!existsSync(`${DIST}manifest.json`))('what is built', () => {
  const manifest = () => JSON.parse(readFileSync(`${DIST}manifest.json`, 'utf8')) as Record<string, Chunk>
  const size = (file: string) => gzipSync(readFileSync(`${DIST}${file}`)).length
  const sum = (names: readonly string[]) => names.reduce((bytes, name) => bytes + size(name), 0)
  /** The files of a chunk and of everything it imports. */
  const closure = (key: string, found = new Set<string>()): Set<string> => {
    const chunk = manifest()[key] as Chunk
    if (found.has(chunk.file)) return found
    found.add(chunk.file)
    for (const other of chunk.imports ?? []) closure(other, found)
    return found
  }
  /** What a page loads in addition: its file, what that imports, and the styles of both. */
  const own = (key: string, there: ReadonlySet<string>, found = new Set<string>()): string[] => {
    const { file, css = [], imports = [] } = manifest()[key] as Chunk
    if (there.has(file) || found.has(file)) return [...found]
    for (const name of [file, ...css]) found.add(name)
    for (const other of imports) own(other, there, found)
    return [...found]
  }
  const keyOf = (part: string) => Object.keys(manifest()).find((key) => key.includes(part)) as string

  test('stays within its size limits: sign-in, orders, each further page, each language', () => {
    const styles = manifest()['index.html']?.css ?? []
    expect(styles).toHaveLength(1)
    const start = readdirSync(`${DIST}assets`).find((name) => /^start-.*\.js$/.test(name)) as string
    const always = [...styles, `assets/${start}`]
    const signIn = closure('index.html')
    expect(sum([...signIn, ...always])).toBeLessThan(110 * kB)
    // The list of orders comes with what all pages share.
    const orders = new Set([...signIn, ...closure(keyOf('_shell'))])
    expect(sum([...orders, ...always])).toBeLessThan(150 * kB)
    const { css, imports } = manifest()[keyOf('_shell')] as Chunk
    expect({ css, imports }, 'a request more').toEqual({ css: undefined, imports: ['index.html'] })
    const further = Object.entries(manifest()).filter(([key]) => /Page\.tsx$/.test(key))
    const pages = declaredPages().map(({ file }) => file)
    expect(pages.length).toBeGreaterThan(40)
    // The first list is a part of the shell.
    expect(pages.filter((name) => !further.some(([key]) => key.endsWith(name)))).toEqual([
      'pages/orders/OrdersPage.tsx',
    ])
    for (const [key] of further) expect(sum(own(key, orders)), key).toBeLessThan(30 * kB)
    for (const language of ['fr', 'ar'])
      expect(size(manifest()[keyOf(`messages/${language}.ts`)]?.file as string), language).toBeLessThan(6 * kB)
  })

  test('contains no URL of another host', () => {
    for (const name of readdirSync(`${DIST}assets`).filter((name) => /\.(js|css)$/.test(name))) {
      const hosts = readFileSync(`${DIST}assets/${name}`, 'utf8').match(/https?:\/\/[\w.-]+/g) ?? []
      // Names of XML, links to explanations of errors in React, an address in a help text, and the links of WhatsApp.
      const known = /^https?:\/\/(www\.w3\.org|react\.dev|127\.0\.0\.1|shop\.example|localhost|wa\.me)/
      expect(
        hosts.filter((host) => !known.test(host)),
        name,
      ).toEqual([])
    }
  })
})

test('styles use logical properties (start, end) instead of left and right', () => {
  const physical = /(^|[\s;{-])(left|right)\s*:|(margin|padding|border)-(left|right)|text-align:\s*(left|right)|float:/
  for (const name of files('.css')) expect(readFileSync(SOURCE + name, 'utf8'), name).not.toMatch(physical)
  for (const name of files('.tsx'))
    expect(readFileSync(SOURCE + name, 'utf8'), name).not.toMatch(/dangerouslySetInnerHTML|innerHTML/)
})

test('no two pages of the menu have the same key or the same place', () => {
  const inMenu = declaredPages().filter(({ key }) => key)
  expect(inMenu.length).toBeGreaterThan(20)
  const keys = inMenu.map(({ key }) => key)
  expect(keys).toEqual([...new Set(keys)])
  const places = inMenu.map(({ place, isInStore }) => `${isInStore} ${place}`)
  expect(places).toEqual([...new Set(places)])
})

/** `orders.views.all`, with the number of parameters where the message has some. */
const shape = (value: unknown, at = ''): string[] => {
  if (typeof value === 'function') return [`${at}(${value.length})`]
  if (typeof value === 'string') return [at]
  return Object.entries(value as object).flatMap(([key, part]) => shape(part, at ? `${at}.${key}` : key))
}

/** Names that the API gives in English: only the others translate them. */
const TRANSLATED = /^pages\/playground\/words\.tags\./

test('all languages have the same messages, with the same placeholders', () => {
  const english = allWords('en')
  expect(Object.keys(english).length).toBeGreaterThan(20)
  for (const language of ['fr', 'ar'] as const) {
    const words = shape(allWords(language)).filter((name) => !TRANSLATED.test(name))
    expect(words.sort(), language).toEqual(shape(english).sort())
  }
})
