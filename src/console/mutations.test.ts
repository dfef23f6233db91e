import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../../console/', import.meta.url)
const SOURCES = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(new URL(`src/${name}`, ROOT), 'utf8') }))

/** What a request to the public API is called that only reads. */
const READS = /^(?:get|list|all$|stream$|results$|finished$)/

/** Of the objects in src/api/, the functions that send something other than GET. */
const ofConsole = () =>
  SOURCES.filter(({ name }) => name.startsWith('api/')).flatMap(({ text }) =>
    [...text.matchAll(/export const (\w+Api) = \{\n(.*?)\n\}/gs)].flatMap(([, api, body = '']) =>
      body
        .split(/\n(?= {2}\w+: )/)
        .filter((one) => /'(?:POST|PUT|PATCH|DELETE)'|await createPasskey/.test(one))
        .map((one) => `${api}.${/^\s*(\w+):/.exec(one)?.[1]}`),
    ),
  )

const ofStores = () =>
  SOURCES.flatMap(({ text }) =>
    [...text.matchAll(/\bclient(?: as Client\))?\s*\.(\w+)\s*(?:\.(\w+)\b|(\[\w+\]))/g)]
      .filter(([, , method = '']) => !READS.test(method))
      .map(([, resource, method, chosen]) => `client.${resource}${chosen ?? `.${method}`}`),
  )

test('every request of the console that changes something is listed with how it is taken back, or why it need not be', () => {
  const table = [...readFileSync(new URL('README.md', ROOT), 'utf8').matchAll(/^\| `([\w.[\]]+)` \| ([\w ]+) \|/gm)]
  const listed = table.map(([, name = '']) => name)
  const found = [...new Set([...ofConsole(), ...ofStores()])]
  expect(found.length).toBeGreaterThan(100)
  expect(listed.toSorted()).toEqual(found.toSorted())
  expect([...new Set(table.map(([, , answer]) => answer))].toSorted()).toEqual(['asks', 'not destructive', 'undo'])
})
