import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { describeError, isUnanswered } from '../../components/describe-error.ts'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useMessages } from '../../messages/messages.ts'
import { isApplied, type Level, MAX_LINES, type StockLine } from './levels.ts'
import { useInventoryWords } from './words.ts'

const inParts = (lines: readonly StockLine[]) =>
  Array.from({ length: Math.ceil(lines.length / MAX_LINES) }, (_, n) => lines.slice(n * MAX_LINES, (n + 1) * MAX_LINES))

/** The differences that take back what was applied: what was ordered meanwhile stays ordered. */
const reverse = (levels: readonly Level[], reason: string) =>
  levels.flatMap((level): StockLine[] => {
    const { variant_id, quantity, previous_quantity } = level
    if (!isApplied(level) || variant_id === null || quantity === previous_quantity) return []
    return [{ variant_id, delta: (previous_quantity ?? 0) - (quantity ?? 0), reason }]
  })

/** Changes stock, in requests of as many lines as the API takes, and offers to take it back. */
export const useStock = () => {
  const words = useInventoryWords()
  const messages = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const [sent, setSent] = useState(0)
  const update = useCreate((stock: StockLine[], options) => client.stock.update({ stock }, {}, options))
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'products'] })

  /** Sent again with the same key if no answer came, so that nothing is taken back twice. */
  const takeBack = async (lines: readonly StockLine[], key: string = crypto.randomUUID()): Promise<void> => {
    const [part = [], ...later] = inParts(lines)
    try {
      const levels = await client.stock.update({ stock: part }, {}, { idempotencyKey: key })
      const done = levels.filter(isApplied).length
      if (done > 0) toast(words.undone(done))
      if (done < levels.length) toast(words.notUndone(levels.length - done), { bad: true })
    } catch (error) {
      const again = isUnanswered(error) ? key : undefined
      const action = { label: messages.controls.retry, run: () => takeBack(lines, again) }
      toast(describeError(error, messages).message, { bad: true, action })
      return
    } finally {
      await renew()
    }
    if (later.length > 0) await takeBack(later.flat())
  }

  return {
    /** How many lines are done of those that are being sent. */
    sent,
    /**
     * Stops at a request without an answer, or with lines that were refused: then a second attempt begins with that request.
     * `onPart` hears of each one.
     */
    apply: async (lines: readonly StockLine[], onPart?: (part: readonly StockLine[], levels: Level[]) => void) => {
      const applied: Level[] = []
      try {
        for (const part of inParts(lines)) {
          const levels = await update(part)
          applied.push(...levels.filter(isApplied))
          onPart?.(part, levels)
          if (!levels.every(isApplied)) break
          setSent(applied.length)
        }
      } finally {
        setSent(0)
        await renew()
        const lines = reverse(applied, words.taken)
        const action = { label: words.undo, run: () => takeBack(lines) }
        if (applied.length > 0) toast(words.changed(applied.length), lines.length > 0 ? { action } : {})
      }
    },
  }
}
