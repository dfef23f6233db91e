import type { CommandIo } from './command-io.ts'

const WIDTH = 30
const REDRAW_MS = 100
const PLAIN_MS = 5_000

const clock = (seconds: number) => {
  const whole = Math.max(0, Math.round(seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** Shows how far a command is: a bar on a terminal, otherwise a line every few seconds. */
export const createProgress = (io: CommandIo, total: number, unit: string) => {
  const started = performance.now()
  let shownAt = started
  let done = 0
  const text = () => {
    const seconds = (performance.now() - started) / 1000
    const rate = done / Math.max(seconds, 0.001)
    const left = rate > 0 ? `, ${clock((total - done) / rate)} left` : ''
    return `${done.toLocaleString('en')}/${total.toLocaleString('en')} ${unit}, ${Math.round(rate)}/s${left}`
  }
  const draw = () => {
    const filled = Math.round((WIDTH * done) / Math.max(total, 1))
    io.redraw?.(`[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${text()}`)
  }
  return {
    add: (count: number) => {
      done += count
      const now = performance.now()
      if (now - shownAt < (io.redraw ? REDRAW_MS : PLAIN_MS)) return
      shownAt = now
      if (io.redraw) draw()
      else io.say(text())
    },
    end: () => {
      if (!io.redraw) return
      draw()
      io.say('')
    },
  }
}
