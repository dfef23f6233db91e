import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
// @ts-expect-error A script without types of its own.
import { checkFiles, checkImports } from '../scripts/check-imports.mjs'
// @ts-expect-error A script without types of its own.
import { checkPatterns } from '../scripts/check-patterns.mjs'
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
    'Files that import each other: customers/schema.ts, files/urls.ts, orders/rules.ts',
  ])
})

test('the import check finds files of one folder that import each other', async () => {
  const folder = await writeSources({
    'blobs/blobs.ts': "export interface Blobs {}\nexport const open = () => import('./disk.ts')\n",
    'blobs/disk.ts': "import type { Blobs } from './blobs.ts'\nexport const disk: Blobs = {}\n",
    'blobs/keys.ts': "import { disk } from './disk.ts'\nexport const key = disk\n",
  })
  expect(checkImports(folder)).toEqual(['Files that import each other: blobs/blobs.ts, blobs/disk.ts'])
})

test('the import check finds files of the console that import each other, dynamic imports and globs included', async () => {
  const folder = await writeSources({
    'routes.ts': "const declared = import.meta.glob<Route[]>('./pages/*/routes.tsx', { eager: true })\n",
    'pages/orders/routes.tsx': "export default [loadablePage(() => import('./OrdersPage.tsx'))]\n",
    'pages/orders/OrdersPage.tsx': "import { pageAt } from '../../routes.ts'\nimport { Row } from './Row.tsx'\n",
    'pages/orders/Row.tsx': "import type { Order } from './labels.ts'\n",
    'pages/orders/words/routes.tsx': "import { pageAt } from '../../../routes.ts'\n",
  })
  expect(checkFiles(folder)).toEqual([
    'Files that import each other: pages/orders/OrdersPage.tsx, pages/orders/routes.tsx, routes.ts',
  ])
})

test('the import check finds plumbing that imports a resource', async () => {
  const folder = await writeSources({
    'core/http/access.ts':
      "import '../../config/config.ts'\nimport type { Token } from '../../resources/auth/tokens.ts'\n",
    'core/storage/backup/backup.ts': "import '../database.ts'\nimport '../../../resources/orders/rules.ts'\n",
    'core/openapi/document.ts': "import '../../docs/guides.ts'\n",
  })
  expect(checkImports(folder)).toEqual([
    'core/ must not import a resource: core/http/access.ts -> resources/auth/tokens.ts',
    'core/ must not import a resource: core/openapi/document.ts -> docs/guides.ts',
    'core/ must not import a resource: core/storage/backup/backup.ts -> resources/orders/rules.ts',
  ])
})

test('the pattern check finds regular expressions that take more than linear time, wherever they are written', async () => {
  const folder = await writeSources({
    'src/core/digits.ts':
      "export const DIGITS = '0+'\nexport const strip = (text: string) => text.replace(/^0+|0+$/g, '')\n",
    'src/core/words.ts':
      "import { DIGITS } from './digits.ts'\nconst ENDS = new RegExp(DIGITS + '$')\n" +
      "export const Words = { pattern: '^(a+)+$' }\nexport const build = (text: string) => [ENDS, new RegExp(text)]\n",
    'src/core/linear.ts': 'export const isId = (text: string) => /^[0-9a-f]+$/.test(text)\n',
    'src/core/words.test.ts': 'export const SLOW = /^(a+)+$/\n',
  })
  const { checked, problems } = await checkPatterns(folder, ['src'])
  expect(checked).toBe(5)
  expect(problems).toEqual([
    expect.stringMatching(/^src\/core\/digits\.ts:2: .* 2nd degree polynomial/),
    expect.stringMatching(/^src\/core\/words\.ts:2: .* 2nd degree polynomial/),
    expect.stringMatching(/^src\/core\/words\.ts:3: .* exponential/),
    expect.stringMatching(/^src\/core\/words\.ts:4: .* is not constant/),
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
