import { randomUUID } from 'node:crypto'

let millisecond = 0
let sequence = 0

/** Makes increasing ids like new_id() in SQL (UUID version 7), for rows that refer to each other before they are inserted. */
export const newId = (): string => {
  const now = Date.now()
  if (now > millisecond) {
    millisecond = now
    sequence = 0
  } else if (++sequence > 0xfff) {
    millisecond++
    sequence = 0
  }
  const time = millisecond.toString(16).padStart(12, '0')
  const random = randomUUID().slice(19)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${random}`
}
