import fc from 'fast-check'
import { afterAll, expect, inject } from 'vitest'
import { STATUS_BY_CODE } from '../../src/core/http/error-replies.ts'
import type { Reply } from './caller.ts'
import { runCleanups } from './cleanup.ts'

interface OwnMatchers<R = unknown> {
  /** The reply is an error with that status which names exactly these fields. */
  toBeRefused(status: number, ...fields: string[]): R
  /** The reply is an error with that code and its status. */
  toFailWith(code: keyof typeof STATUS_BY_CODE): R
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration has to repeat Vitest's own.
  interface Matchers<T = any> extends OwnMatchers<T> {}
}

const result = (pass: boolean, wanted: string, reply: Reply) => ({
  pass,
  message: () => `expected ${wanted}, got ${reply.status} ${reply.text.slice(0, 1000)}`,
})

expect.extend({
  toBeRefused(reply: Reply, status: number, ...fields: string[]) {
    const named = Object.keys(reply.body?.errors ?? {}).sort()
    const same = JSON.stringify(named) === JSON.stringify([...fields].sort())
    return result(reply.status === status && same, `${status} naming [${fields}]`, reply)
  },
  toFailWith(reply: Reply, code: keyof typeof STATUS_BY_CODE) {
    const shaped = typeof reply.body?.message === 'string' && typeof reply.body?.errors === 'object'
    return result(
      reply.status === STATUS_BY_CODE[code] && reply.body?.code === code && shaped,
      `${STATUS_BY_CODE[code]} ${code}`,
      reply,
    )
  },
})

fc.configureGlobal({ seed: inject('seed') })

afterAll(runCleanups)
