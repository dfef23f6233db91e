import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'

/** The connection of a client that reads nothing for this long is closed. */
const STALLED_MS = 30_000
/** Files and exports are produced while they are sent, so the next chunk may take a while. */
const STALLED_STREAM_MS = 120_000
/** A large reply is kept in memory for no longer than this, however slowly it is read. */
const MAX_SENDING_MS = 300_000
/** Smaller replies are not counted: they fit into the kernel's socket buffers. */
const LARGE_BYTES = 256 * 1024
/** A little more than the largest reply. */
const MAX_UNREAD_BYTES = 40 * 2 ** 20
const MAX_UNREAD_BYTES_TOTAL = 256 * 2 ** 20
const RETRY_AFTER_SECONDS = 5

const sizeOf = (payload: unknown): number | undefined => {
  if (typeof payload === 'string') return payload.length < LARGE_BYTES / 3 ? 0 : Buffer.byteLength(payload)
  return Buffer.isBuffer(payload) ? payload.length : undefined
}

const callerKey = ({ caller }: FastifyRequest) => caller?.installation?.id ?? 'anonymous'

const tooManyUnread = () =>
  new ApiError('rate_limited', 'Too many earlier replies are still unread. Read them first.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })

/** Keeps clients that do not read their replies from exhausting memory or holding connections open forever. */
export const limitUnreadReplies = (app: FastifyInstance) => {
  const unread = new Map<string, number>()
  let total = 0

  const count = (caller: string, bytes: number) => {
    const bytesLeft = (unread.get(caller) ?? 0) + bytes
    if (bytesLeft > 0) unread.set(caller, bytesLeft)
    else unread.delete(caller)
    total += bytes
  }

  const refuse = (caller: string, bytes: number) => {
    if ((unread.get(caller) ?? 0) + bytes > MAX_UNREAD_BYTES) throw tooManyUnread()
    if (total + bytes > MAX_UNREAD_BYTES_TOTAL)
      throw new ApiError('unavailable', 'Too many replies are still unread. Try again shortly.', {
        retryAfter: RETRY_AFTER_SECONDS,
      })
  }

  // A list might exceed the limit once rendered, so it is refused early.
  app.addHook('preHandler', (request, _reply, done) => {
    const isList = 'page_size' in (request.query as object)
    const bytes = unread.get(callerKey(request)) ?? 0
    done(isList && bytes > MAX_UNREAD_BYTES / 2 ? tooManyUnread() : undefined)
  })

  app.addHook('onSend', (request, { raw }, payload, done) => {
    const bytes = sizeOf(payload)
    // Undefined when a test injects a request without a connection.
    raw.socket?.setTimeout?.(bytes === undefined ? STALLED_STREAM_MS : STALLED_MS)
    if (bytes === undefined || bytes < LARGE_BYTES) return done(null, payload)
    const caller = callerKey(request)
    try {
      refuse(caller, bytes)
    } catch (error) {
      return done(error as Error)
    }
    count(caller, bytes)
    const late = setTimeout(() => raw.destroy(), MAX_SENDING_MS).unref()
    raw.once('close', () => {
      clearTimeout(late)
      count(caller, -bytes)
    })
    done(null, payload)
  })
}
