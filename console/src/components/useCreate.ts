import { useRef } from 'react'
import { useMessages } from '../messages/messages.ts'
import { isUnanswered } from './describe-error.ts'

interface Attempt<Body, Made> {
  /** The same for every attempt until one succeeds. */
  key: string
  /** What an attempt sent that got no answer: the service may have it. */
  unanswered?: Body
  /** What such an attempt turned out to have made. */
  made?: Made
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Creates once, however often it is sent: all attempts have the same idempotency key until one succeeds. If the input was
 * changed after an attempt without an answer, that attempt is repeated first, and what it made is updated.
 */
export const useCreate = <Body, Made>(
  create: (body: Body, options: { idempotencyKey: string }) => Promise<Made>,
  update?: (made: Made, body: Body) => Promise<Made>,
) => {
  const { problems } = useMessages()
  const attempt = useRef<Attempt<Body, Made>>({ key: crypto.randomUUID() })

  /** What the attempt without an answer has made; nothing if the service refuses it. */
  const recover = async (unanswered: Body) => {
    try {
      return await create(unanswered, { idempotencyKey: attempt.current.key })
    } catch (error) {
      if (isUnanswered(error)) throw error
      delete attempt.current.unanswered
      return undefined
    }
  }

  return async (body: Body): Promise<Made> => {
    const { unanswered } = attempt.current
    if (unanswered !== undefined && !isSame(unanswered, body)) attempt.current.made ??= await recover(unanswered)
    let made = attempt.current.made
    if (made !== undefined) {
      if (!update) throw new Error(problems.recorded)
      made = await update(made, body)
    } else
      try {
        made = await create(body, { idempotencyKey: attempt.current.key })
      } catch (error) {
        if (isUnanswered(error)) attempt.current.unanswered = body
        else delete attempt.current.unanswered
        throw error
      }
    attempt.current = { key: crypto.randomUUID() }
    return made
  }
}
