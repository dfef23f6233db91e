import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordResult } from './results-table.ts'

interface Locked {
  integrity?: string
  resolved?: string
  link?: boolean
  hasInstallScript?: boolean
}

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

const packages = Object.entries(JSON.parse(read('package-lock.json')).packages as Record<string, Locked>).filter(
  ([name, { link }]) => name !== '' && !link,
)

test('every locked package has an integrity hash and no registry URL', () => {
  expect(packages.length).toBeGreaterThan(100)
  for (const [name, { integrity, resolved }] of packages) {
    expect(integrity, name).toMatch(/^sha512-/)
    // The installing user chooses the registry.
    expect(resolved, name).toBeUndefined()
  }
  expect(read('package-lock.json')).not.toMatch(/"(git|http)[+s]*:\/\/[^"]*\.(git|tgz)/)
  recordResult({ case: 'supply chain: packages with an integrity hash', tried: packages.length, lost: 0 })
})

test('only packages that SECURITY.md justifies have install scripts', () => {
  const wanting = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name)
  const listed = [...read('SECURITY.md').matchAll(/`(@?[\w./*-]+)`: its install script/g)].map(([, name]) => name)
  const families = new Set(wanting.map((name) => name.replace('node_modules/', '').replace(/^(@[^/]+)\/.*/, '$1/*')))
  expect([...families].sort()).toEqual(listed.sort())
})
