// Makes the client's declarations work with TypeScript 5.4: imports name `.js` files, and `Uint8Array` has no type
// parameter, which later versions write out.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const [folder] = process.argv.slice(2)
for (const name of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
  const file = path.join(folder, name)
  const text = readFileSync(file, 'utf8')
    .replace(/((?:from|import\()\s*['"]\.\/[\w-]+)\.ts(?=['"])/g, '$1.js')
    .replaceAll('Uint8Array<ArrayBufferLike>', 'Uint8Array')
  writeFileSync(file, text)
}
