import type { Matching } from '../ListPage.tsx'

/** What a dialog that changes many rows is opened with. */
export interface Changing<Row> {
  chosen: readonly Row[]
  matching: Matching
  /** Called with those that failed, which stay selected. */
  done: (failed: readonly Row[]) => void
}
