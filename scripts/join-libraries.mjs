import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Libraries of hundreds of small files take Node longer to find than to read. A folder of compiled code gets its own copy of
 * each, joined into a few files, in `node_modules`, where Node looks first.
 */
const LIBRARIES = ['jose', 'kysely', 'typebox']

const [folder] = process.argv.slice(2)
const IMPORT = /\bfrom '([^'.][^']*)'/g

const imported = new Set(
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => [...readFileSync(path.join(folder, name), 'utf8').matchAll(IMPORT)].map(([, from]) => from)),
)

for (const library of LIBRARIES) {
  const parts = [...imported].filter((name) => name === library || name.startsWith(`${library}/`))
  const place = (name) => `.${name.slice(library.length)}`
  const file = (name) => place(name).slice(2) || 'index'
  const joined = await rolldown({
    input: Object.fromEntries(parts.map((name) => [file(name), name])),
    platform: 'node',
    treeshake: false,
  })
  const dir = path.join(folder, 'node_modules', library)
  await joined.write({ dir, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
  await joined.close()
  const exports = Object.fromEntries(parts.map((name) => [place(name), `./${file(name)}.js`]))
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ name: library, type: 'module', exports }))
}
