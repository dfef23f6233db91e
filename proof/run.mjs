// Bundles the proof and runs it: Node 20 does not read TypeScript. The bundle is two folders below the root, as tests/support
// is, whose modules find dist/ by their own place.
import { rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))
const folder = at(`build.${process.pid}`)

const bundle = await rolldown({
  input: { main: at('main.ts') },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
})
await bundle.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name].js', sourcemap: true })
await bundle.close()
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const { main } = await import(pathToFileURL(`${folder}/main.js`).href)
process.exit(await main(process.argv.slice(2)))
