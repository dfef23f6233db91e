import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BUGS } from '../proof/planted/bugs.ts'

test('every bug that the proof plants still has its place in the source', () => {
  for (const { name, edits } of BUGS)
    for (const { file, find } of edits) {
      const source = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')
      expect(source.split(find).length - 1, `${name}: ${find}`).toBe(1)
    }
})
