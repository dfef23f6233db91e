import { expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { startConsoleBrowser } from '../../tests/support/console.ts'

const PAGES = ['', '/analytics', '/orders']
const LANGUAGES = ['en', 'fr', 'ar'] as const

/** The digits of each text that has some, but for times, which languages write in different ways. */
const FIGURES = `(() => {
  const figures = []
  const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const digits = text.data.replace(/[\\u0660-\\u0669]/g, (digit) => digit.charCodeAt(0) - 0x660).replace(/\\D/g, '')
    if (digits && !text.parentElement.closest('time, option')) figures.push(digits)
  }
  return figures.sort()
})()`

test.skipIf(!hasBrowser('figures in other languages are not compared'))(
  'every language shows the same figures',
  async () => {
    const console = await startConsoleBrowser()
    const shown: Record<string, Record<string, string[]>> = {}
    for (const language of LANGUAGES) {
      const { page, context, wrong } = await console.signIn({ language })
      for (const path of PAGES) {
        await page.goto(console.home + path)
        await page.waitForLoadState('networkidle')
        shown[path] = { ...shown[path], [language]: await page.evaluate<string[]>(FIGURES) }
      }
      expect(wrong).toEqual([])
      await context.close()
    }
    for (const [path, { en, fr, ar }] of Object.entries(shown)) {
      expect(en?.length, path).toBeGreaterThan(0)
      expect(fr, `${path} in French`).toEqual(en)
      expect(ar, `${path} in Arabic`).toEqual(en)
    }
  },
)
