import { executionAsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'

/** While the server starts: what it uses for a second only, it would hold for good. */
export const startSmall = () => {
  // Left alone, V8 lets a small heap grow to four times what it holds before it looks for garbage.
  setFlagsFromString('--heap-growing-percent=60')
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Once it serves: room for what lives as long as a request, as much as the load asks for. */
export const growWithLoad = () => {
  // The bytes of an upload count as growth: at less than this, its garbage is looked for all the time.
  setFlagsFromString('--heap-growing-percent=150')
  setFlagsFromString('--semi-space-growth-factor=2')
}

const kept: object[] = []

/**
 * Keeps one of the objects that `nextTick` makes. When V8 collects garbage at a moment without any, it forgets their
 * shape, and from then on makes each of them ten times as slowly; a request takes eight.
 */
export const keepTicksFast = () => process.nextTick(() => kept.push(executionAsyncResource()))
