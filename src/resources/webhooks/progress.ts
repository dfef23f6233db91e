interface Step {
  position: number
  n: number
  isDone: boolean
}

/** Positions in the feed, in order. One is reached once everything up to it is done. */
export class Progress {
  #steps: Step[] = []

  clear() {
    this.#steps = []
  }

  add(step: Step) {
    this.#steps.push(step)
  }

  finish(position: number) {
    const step = this.#steps.find((step) => step.position === position)
    if (step) step.isDone = true
  }

  /** How many are not done. */
  get open() {
    let count = 0
    for (const { isDone } of this.#steps) if (!isDone) count++
    return count
  }

  get hasReached() {
    return this.#steps[0]?.isDone === true
  }

  /** Removes the positions that are reached, and returns the last of them. */
  takeReached(): { position: number; n: number } | undefined {
    const open = this.#steps.findIndex(({ isDone }) => !isDone)
    const done = open < 0 ? this.#steps.splice(0) : this.#steps.splice(0, open)
    return done.at(-1)
  }
}
