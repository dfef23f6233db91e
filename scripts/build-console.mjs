// Builds console/ into the given folder: assets/ with hashed names, each also compressed, and files.json, from which the
// server knows what there is.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const TYPES = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

const [folder] = process.argv.slice(2)
const outDir = path.resolve(folder)
await build({
  configFile: fileURLToPath(new URL('../console/vite.config.ts', import.meta.url)),
  build: { outDir },
  logLevel: 'warn',
})

const ENCODERS = [
  {
    name: 'br',
    suffix: '.br',
    encode: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  },
  { name: 'gzip', suffix: '.gz', encode: (bytes) => gzipSync(bytes, { level: 9 }) },
]

/** Writes the compressed files that are smaller than the plain one, and says which they are. */
const compress = (file) => {
  const bytes = readFileSync(file)
  return ENCODERS.flatMap(({ name, suffix, encode }) => {
    const encoded = encode(bytes)
    if (encoded.length >= bytes.length) return []
    writeFileSync(file + suffix, encoded)
    return [name]
  })
}

const assets = path.join(outDir, 'assets')

/** Not a module, so that it runs before the first paint. */
const start = readFileSync(new URL('../console/src/start.js', import.meta.url))
const startName = `start-${createHash('sha256').update(start).digest('base64url').slice(0, 8)}.js`
writeFileSync(path.join(assets, startName), start)

/** The code that the start script may load ahead: what is behind the sign-in, and the languages. */
const ahead = ['shell', 'fr', 'ar'].map((name) => {
  const file = readdirSync(assets).find((file) => file.startsWith(`${name}-`) && file.endsWith('.js'))
  if (!file) throw new Error(`There is no file for ${name}.`)
  return `data-${name}="./assets/${file}"`
})

const files = Object.fromEntries(
  readdirSync(assets)
    .sort()
    .map((name) => {
      const type = TYPES[path.extname(name)]
      if (!type) throw new Error(`${name} has a type that the server does not send.`)
      return [name, { type, encodings: compress(path.join(assets, name)) }]
    }),
)
const page = path.join(outDir, 'index.html')
const script = `<script src="./assets/${startName}" ${ahead.join(' ')}></script>`
const shell = readFileSync(page, 'utf8').replace('<!-- start -->', script)
rmSync(page)
writeFileSync(path.join(outDir, 'files.json'), JSON.stringify({ shell, files }))
