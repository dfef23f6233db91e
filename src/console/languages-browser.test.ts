import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hasBrowser } from '../../tests/support/browser.ts'
import { startConsoleBrowser } from '../../tests/support/console.ts'
import { wordsOf } from '../../tests/support/console-words.ts'
import { eventually } from '../../tests/support/eventually.ts'

const PAGES = ['', '/analytics', '/orders']
const LANGUAGES = ['en', 'fr', 'ar'] as const

/** The digits of each text that has some, but for times, which languages write in different ways. None while some are read. */
const FIGURES = `(() => {
  const figures = []
  if (document.querySelector('[data-waiting], main [role=status] > .hidden, main [aria-busy=true]')) return figures
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
    const reader = await console.signIn({ language: 'en' })
    const english = new Map<string, Page>()
    const wrongInEnglish: string[][] = []
    for (const path of PAGES) {
      const { page, wrong } = await console.newTab(reader.context)
      await page.goto(console.home + path)
      english.set(path, page)
      wrongInEnglish.push(wrong)
    }
    for (const language of ['fr', 'ar'] as const) {
      const { page, context, wrong } = await console.signIn({ language })
      for (const [path, inEnglish] of english) {
        await page.goto(console.home + path)
        await page.locator('main').waitFor()
        await eventually(async () => {
          const figures = await page.evaluate<string[]>(FIGURES)
          expect(figures.length, `${path} in ${language}`).toBeGreaterThan(0)
          expect(figures, `${path} in ${language}`).toEqual(await inEnglish.evaluate<string[]>(FIGURES))
        })
      }
      expect(wrong).toEqual([])
      await context.close()
    }
    expect(wrongInEnglish.flat()).toEqual([])
    await reader.context.close()
  },
)

/** Words in the heads of tables that are written on more than one line. */
const BROKEN_WORDS = `[...document.querySelectorAll('dialog thead th')].flatMap(({ firstChild: text }) =>
  [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange()
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
  }).map(([word]) => word))`

test.skipIf(!hasBrowser('lines of text are not measured'))(
  'on a small phone no word of a small table is broken, and the search of the menu is one line',
  async () => {
    const console = await startConsoleBrowser()
    for (const language of LANGUAGES) {
      const { page, context, wrong } = await console.signIn({ language }, { width: 320, height: 640 })
      const dialog = page.getByRole('dialog')
      await page.goto(`${console.home}/inventory?search=fouta`)
      await page.locator('tbody button').first().click()
      await dialog.locator('tbody td').first().waitFor()
      expect(await page.evaluate(BROKEN_WORDS)).toEqual([])
      await page.goto(`${console.home}/reviews?status=hidden`)
      await page.locator('main li input').first().check()
      await page.getByRole('button', { name: wordsOf(language).controls.changeMany }).click()
      await dialog.locator('tbody td').first().waitFor()
      expect(await page.evaluate(BROKEN_WORDS)).toEqual([])
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(`${console.home}/files`)
      await page.locator('nav button:has(kbd)').waitFor()
      const span = "document.querySelector('nav button:has(kbd) span')"
      const [lines, shown = 0, needed] = await page.evaluate<number[]>(
        `[Math.round(${span}.clientHeight / 20), ${span}.clientWidth, ${span}.scrollWidth]`,
      )
      expect(lines).toBe(1)
      expect(needed).toBeLessThanOrEqual(shown)
      expect(wrong).toEqual([])
      await context.close()
    }
  },
)
