import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { tooManyRequests } from '../http/rate-limits.ts'

/** Parameters of scrypt, named as in PHC text: `ln` is log2 of the cost N. */
export interface PasswordCost {
  ln: number
  r: number
  p: number
}

/** As recommended by OWASP: 64 MB and about half a second of CPU time per password. */
const PASSWORD_COST: PasswordCost = { ln: 16, r: 8, p: 2 }
const MAX_WAITING = 20
const SALT_BYTES = 16
const HASH_BYTES = 32

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

const compute = (password: string, salt: Buffer, { ln, r, p }: PasswordCost) =>
  derive(password.normalize('NFC'), salt, HASH_BYTES, { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 128 * 2 })

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const PHC = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

const parse = (text: string) => {
  const [, ln, r, p, salt = '', hash = ''] = PHC.exec(text) ?? []
  if (!ln) throw new Error('A stored password is not in PHC format.')
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

export type Passwords = ReturnType<typeof createPasswords>

/** Hashes and checks passwords, one at a time: each takes much memory. */
export const createPasswords = (cost: PasswordCost = PASSWORD_COST) => {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  /** Number of hashes computed, and the maximum at the same time, for tests. */
  const done = { hashes: 0, running: 0, mostRunning: 0 }

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting > MAX_WAITING) throw tooManyRequests('Too many people are signing in at this moment.', 5)
    waiting++
    const run = last.then(async () => {
      done.hashes++
      done.mostRunning = Math.max(done.mostRunning, ++done.running)
      try {
        return await work()
      } finally {
        done.running--
        waiting--
      }
    })
    last = run.catch(() => {})
    return run
  }

  return {
    done,
    hash: (password: string) =>
      inTurn(async () => {
        const salt = randomBytes(SALT_BYTES)
        const hash = await compute(password, salt, cost)
        return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(hash)}`
      }),
    /** Takes the same time if there is no such account, or it has no password yet. */
    verify: (password: string, stored: string | null | undefined) =>
      inTurn(async () => {
        const known = stored ? parse(stored) : { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) }
        const matches = timingSafeEqual(await compute(password, known.salt, known.cost), known.hash)
        return matches && Boolean(stored)
      }),
    /** Whether a hash was made with other parameters than the current ones. */
    isOutdated: (stored: string) => {
      const { ln, r, p } = parse(stored).cost
      return ln !== cost.ln || r !== cost.r || p !== cost.p
    },
  }
}
