import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
// @ts-expect-error A script without types of its own.
import { checkImports } from '../scripts/check-imports.mjs'
import { temporaryFolder } from './support/server-process.ts'

const writeSources = async (sources: Record<string, string>) => {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries(sources)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  return folder
}

test('the import check finds folders that import each other, types and dynamic imports included', async () => {
  const folder = await writeSources({
    'orders/rules.ts': "import type { Customer } from '../customers/schema.ts'\nexport type Order = Customer\n",
    'customers/schema.ts': "export const load = () => import('../files/urls.ts')\nexport interface Customer {}\n",
    'files/urls.ts': "export { type Order } from '../orders/rules.ts'\n",
    'files/urls.test.ts': "import '../alone/alone.ts'\n",
    'alone/alone.ts': "import type { Order } from '../orders/rules.ts'\n",
  })
  expect(checkImports(folder)).toEqual([
    'Folders that import each other: customers, files, orders',
    '  customers/schema.ts -> files/urls.ts',
    '  files/urls.ts -> orders/rules.ts',
    '  orders/rules.ts -> customers/schema.ts',
  ])
})

test('the import check finds plumbing that imports a resource', async () => {
  const folder = await writeSources({
    'http/access.ts': "import '../config/config.ts'\nimport type { Token } from '../auth/tokens.ts'\n",
    'storage/backup/backup.ts': "import '../database.ts'\nimport '../../orders/rules.ts'\n",
  })
  expect(checkImports(folder)).toEqual([
    'http/ must not import a resource: http/access.ts -> auth/tokens.ts',
    'storage/ must not import a resource: storage/backup/backup.ts -> orders/rules.ts',
  ])
})

test('the build contains no tests, no samples and nothing that imports a test library', async () => {
  const names = (await readdir('dist', { recursive: true })).filter((name) => /\.js(\.map)?$/.test(name))
  expect(names).toContain(path.join('server', 'main.js'))
  expect(names.filter((name) => /\.test\.js$/.test(name))).toEqual([])
  const modules = new Set<string>()
  for (const name of names) {
    const text = await readFile(path.join('dist', name), 'utf8')
    expect(text, name).not.toMatch(/(from|import\() ?["'](vitest|fast-check|playwright-core)/)
    // The source map lists the modules of a bundle.
    if (name.endsWith('.map'))
      for (const source of JSON.parse(text).sources)
        modules.add(path.relative('.', path.join('dist', name, '..', source)))
  }
  expect(modules).toContain(path.join('src', 'app.ts'))
  expect([...modules].filter((source) => /\.test\.ts$|samples\.ts$|^tests\b/.test(source))).toEqual([])
})
