import { vi } from 'vitest'

/** Repeats a check until it passes. Patient: the machine may have other work. */
export const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000 })
