import { latinDigits } from '../../../../src/core/input/parse-number.ts'
import type { Client } from '../../api/store.tsx'
import type { InventoryWords } from './words/en.ts'

export type Level = Awaited<ReturnType<Client['stock']['update']>>[number]
export type StockLine = Parameters<Client['stock']['update']>[0]['stock'][number]

export const MAX_LINES = 1_000

export const isWhole = (text: string) => /^[+-]?\d{1,9}$/.test(text.trim())

export const isApplied = ({ errors }: Level) => Object.keys(errors).length === 0

/** Why a line was not applied, in the words of the page. */
export const refusalOf = ({ errors, previous_quantity }: Level, words: InventoryWords) => {
  const [sentence] = Object.values(errors).flat()
  if (sentence === undefined) return undefined
  if (/^must be the (SKU|id)/.test(sentence)) return words.unknown
  if (/several variants/.test(sentence)) return words.ambiguous
  if (/earlier line|given twice/.test(sentence)) return words.twice
  if (/^would take more/.test(sentence)) return words.short(String(previous_quantity ?? 0))
  return sentence
}

const SEPARATOR = /[;,\s]/
const WHOLE_NUMBER = /^[+-]?\d{1,9}$/

const withoutSeparators = (text: string) => {
  let end = text.length
  while (end > 0 && SEPARATOR.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Lines of a spreadsheet: a SKU and a number, separated by a tab, a semicolon, a comma or spaces. */
export const parseStock = (text: string, mode: 'delta' | 'quantity') => {
  const lines: StockLine[] = []
  const bad: number[] = []
  for (const [place, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = line.trim()
    const last = row.split(SEPARATOR).at(-1) ?? ''
    const number = latinDigits(last)
    const cleaned = withoutSeparators(row.slice(0, row.length - last.length))
    if (!cleaned || !WHOLE_NUMBER.test(number) || (mode === 'quantity' && number.startsWith('-'))) bad.push(place + 1)
    else lines.push({ sku: cleaned, [mode]: Number(number) })
  }
  return { lines, bad }
}
