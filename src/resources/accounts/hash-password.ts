import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { tooManyRequests } from '../../core/http/rate-limits.ts'
import { normalizeText } from '../../core/input/normalize-text.ts'
import { createFairQueue, QueueFullError } from '../../core/storage/fair-queue.ts'

/** Parameters of scrypt, named as in PHC text: `ln` is log2 of the cost N. */
export interface PasswordCost {
  ln: number
  r: number
  p: number
}

/** As recommended by OWASP: 64 MB and about half a second of CPU time per password. */
const PASSWORD_COST: PasswordCost = { ln: 16, r: 8, p: 2 }
const MAX_WAITING_PER_ADDRESS = 20
/** Of all addresses, one for each. */
const MAX_WAITING = 500
const SALT_BYTES = 16
const HASH_BYTES = 32

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

const compute = (password: string, salt: Buffer, { ln, r, p }: PasswordCost) =>
  derive(normalizeText(password), salt, HASH_BYTES, { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 128 * 2 })

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/(?<!=)=+$/, '')

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

/** Whose password it is, and from which network the request came. */
export interface PasswordCaller {
  account: string
  address: string
}

/**
 * Hashes and checks passwords, one at a time: each takes much memory. Each address has one turn at a time, and turns go
 * round the accounts, so that many attempts from one address, or on one account, delay others by one turn only.
 */
export const createPasswords = (cost: PasswordCost = PASSWORD_COST) => {
  const byAddress = createFairQueue({ slots: Number.POSITIVE_INFINITY, maxWaitingInLine: MAX_WAITING_PER_ADDRESS })
  const byAccount = createFairQueue({ slots: 1, maxWaiting: MAX_WAITING })
  /** Number of hashes computed, and the maximum at the same time, for tests. */
  const done = { hashes: 0, running: 0, mostRunning: 0 }

  const count = async <T>(work: () => Promise<T>): Promise<T> => {
    done.hashes++
    done.mostRunning = Math.max(done.mostRunning, ++done.running)
    try {
      return await work()
    } finally {
      done.running--
    }
  }

  const inTurn = async <T>({ account, address }: PasswordCaller, work: () => Promise<T>): Promise<T> => {
    try {
      return await byAddress.run([{ key: address, max: 1 }], () =>
        byAccount.run([{ key: account, max: 1 }], () => count(work)),
      )
    } catch (error) {
      throw error instanceof QueueFullError
        ? tooManyRequests('Too many people are signing in at this moment.', 5)
        : error
    }
  }

  return {
    done,
    hash: (password: string, caller: PasswordCaller) =>
      inTurn(caller, async () => {
        const salt = randomBytes(SALT_BYTES)
        const hash = await compute(password, salt, cost)
        return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(hash)}`
      }),
    /** Takes the same time if there is no such account, or it has no password yet. */
    verify: (password: string, stored: string | null | undefined, caller: PasswordCaller) =>
      inTurn(caller, async () => {
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
