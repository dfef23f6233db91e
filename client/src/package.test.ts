import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const client = fileURLToPath(new URL('..', import.meta.url))

test('the package has its licence, and no script that only works in the repository', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: client,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const files = JSON.parse(packed)[0].files.map(({ path }: { path: string }) => path)
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js']))
  expect(readFileSync(`${client}/LICENSE`, 'utf8')).toBe(readFileSync(`${client}/../LICENSE`, 'utf8'))
  expect(JSON.parse(readFileSync(`${client}/package.json`, 'utf8'))).not.toHaveProperty('scripts')
})

test('the script for embedded pages is small and needs no other file', () => {
  const script = readFileSync(`${client}/dist/embed.js`, 'utf8')
  expect(Buffer.byteLength(script)).toBeLessThan(2_048)
  expect(script).not.toMatch(/\bimport\b/)
})
