import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Link } from 'wouter'
import { numberFormat } from '../messages/formats.ts'
import { useMessages, useWords } from '../messages/messages.ts'
import styles from './ListPage.module.css'
import { useAddress, withChanges } from './useAddress.ts'

interface PagerProps {
  /** Undefined while it is being counted. */
  total: number | undefined
  shown: number
  next: string | null
}

export const Pager = ({ total, shown, next }: PagerProps) => {
  const { controls } = useMessages()
  const { locale } = useWords()
  const { search, params, path } = useAddress()
  const before = Number(params.get('at') ?? 0)
  const number = (value: number) => numberFormat(locale).format(value)
  const here = `${path}?${search}`
  const goNext = next ? `${path}?${withChanges(search, { cursor: next, at: String(before + shown) })}` : undefined
  // Cursors lead forward. The way back is the history, or the first page where there is none.
  const earlier = (history.state as { earlier?: string } | null)?.earlier
  const first = withChanges(search, { cursor: undefined, at: undefined })
  const goBack = before > 0 ? (earlier ?? (first ? `${path}?${first}` : path)) : undefined
  return (
    <div className={styles.pager}>
      <span>
        {total !== undefined && total > 0 && controls.range(number(before + 1), number(before + shown), number(total))}
      </span>
      <span className={styles.steps}>
        {goBack && (
          <Link href={goBack} aria-label={earlier ? controls.previous : controls.first}>
            <ChevronLeft className="pointing" />
          </Link>
        )}
        {goNext && (
          <Link href={goNext} state={{ earlier: here }} aria-label={controls.next}>
            <ChevronRight className="pointing" />
          </Link>
        )}
      </span>
    </div>
  )
}
