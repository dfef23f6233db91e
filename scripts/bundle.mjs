// Bundles src/ into the given folder: one file for each entry, and what they share in chunks/. Node finds and reads a few
// large files much faster than the hundreds of small ones that they are made of.
import { cpSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

/** The programs, and the modules that scripts, tests and benchmarks import from what is built. */
const ENTRIES = [
  'server/main',
  'cli/main',
  'cli/generate-openapi',
  'cli/record-examples',
  'config/config',
  'config/env-file',
  'config/settings-documents',
  'resources/permissions/catalogue',
  'resources/analytics/merge-changes',
  'server/http-server',
  'core/storage/connect',
  'core/storage/database',
  'core/storage/embedded/engine',
]
/** Read at run time, from the same place relative to their module as in src/. */
const ASSETS = [
  'core/storage/schema',
  'core/storage/migrations',
  'docs/guides',
  'docs/examples.json',
  'docs/start-page.js',
  'demo/media',
]
/** Pure ESM without native parts, in hundreds of files. Other libraries are loaded from node_modules. */
const BUNDLED = /^(jose|kysely|typebox)(\/|$)/

const isBare = (id) => !id.startsWith('.') && !path.isAbsolute(id)

/** Makes `import.meta.url` name the place that the module would have in the folder if it were not bundled. */
const moduleUrls = {
  name: 'module-urls',
  transform(code, id) {
    if (!id.startsWith(SRC) || !code.includes('import.meta.url')) return
    const place = path.relative(SRC, id).split(path.sep).join('/').replace(/\.ts$/, '.js')
    return { code: code.replaceAll('import.meta.url', `new URL('${place}', __DIST__).href`), map: null }
  },
  renderChunk(code, { fileName }) {
    if (!code.includes('__DIST__')) return
    const top = `${path.posix.relative(path.posix.dirname(fileName), '.')}/`
    return { code: code.replaceAll('__DIST__', `new URL('${top}', import.meta.url)`), map: null }
  },
}

const [folder] = process.argv.slice(2)
const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, path.join(SRC, `${name}.ts`)])),
  platform: 'node',
  external: (id) => isBare(id) && !BUNDLED.test(id),
  plugins: [moduleUrls],
})
await bundle.write({
  dir: folder,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  sourcemap: true,
  // Node keeps the text of every module in memory.
  comments: { legal: true, annotation: false, jsdoc: false },
})
await bundle.close()
for (const name of ASSETS) cpSync(path.join(SRC, name), path.join(folder, name), { recursive: true })
