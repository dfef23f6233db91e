import { existsSync } from 'node:fs'
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest. Those that use a whole processor alternate with those that mostly wait for processes to
 * start and stop, so that they run side by side.
 */
const LONGEST = [
  'src/console/accessibility-browser.test.ts',
  'src/core/storage/embedded/engine.test.ts',
  'tests/npm-start.test.ts',
  'src/console/accessibility-arabic-browser.test.ts',
  'src/console/lists-browser.test.ts',
  'src/console/accessibility-french-browser.test.ts',
  'src/server/main.test.ts',
  'src/core/storage/outage.test.ts',
  'src/resources/webhooks/outage.test.ts',
  'src/docs/page.test.ts',
  'src/console/products-browser.test.ts',
  'src/console/desk-pages-browser.test.ts',
  'src/console/flows-browser.test.ts',
  'src/console/confirm-browser.test.ts',
  'src/console/browser.test.ts',
  'src/resources/events/stream.test.ts',
  'src/demo/demo.test.ts',
  'src/resources/orders/export.test.ts',
  'src/console/pages-browser.test.ts',
  'src/core/storage/backup/backup.test.ts',
  'src/resources/webhooks/delivery.test.ts',
]

/**
 * Starts the longest files first, so that none of them runs alone at the end. Vitest knows durations only from earlier runs
 * on the same machine; in a new clone it would start with the files that have the most bytes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const { root } = this.ctx.config
    const missing = LONGEST.filter((name) => !existsSync(path.join(root, name)))
    if (missing.length > 0) throw new Error(`tests/support/longest-first.ts names files that do not exist: ${missing}`)
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.indexOf(path.relative(root, moduleId))
      return found < 0 ? LONGEST.length : found
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}
