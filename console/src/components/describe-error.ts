import { ApiError, ConnectionError } from '../../../client/src/errors.ts'
import { ConsoleError } from '../api/console.ts'
import type { Messages } from '../messages/shape.ts'

type Problems = Messages['problems']

/** Sentences of the API, which are for developers, and what a page says instead. */
const SENTENCES: readonly (readonly [RegExp, (problems: Problems, ...parts: string[]) => string])[] = [
  [/^is required|^must not be empty$|^must have at least one (?:value|permission)$/, ({ required }) => required],
  [/^must be (?:a string of )?1 to \d+ characters/, ({ required }) => required],
  [/^must be a string of (\d+) to (\d+) characters/, ({ length }, min = '', max = '') => length(min, max)],
  [/^must (?:be a string of|have) at least (\d+) characters/, ({ minLength }, min = '') => minLength(min)],
  [/^must be a string of at most (\d+) characters/, ({ maxLength }, max = '') => maxLength(max)],
  [/^must be a(?: whole)? number from (\S+) to (\d[\d.]*)/, ({ range }, min = '', max = '') => range(min, max)],
  [/^must be a(?: whole)? number of at least (\d[\d.]*)/, ({ least }, min = '') => least(min)],
  [/^must be a(?: whole)? number of at most (\d[\d.]*)/, ({ most }, max = '') => most(max)],
  [/^must be a whole number/, ({ wholeNumber }) => wholeNumber],
  [/^must be a number/, ({ number }) => number],
  [/^must be an email address/, ({ email }) => email],
  [/^must be a web address(?: or null)?$/, ({ webAddress }) => webAddress],
  [/already taken|^belongs to this store already|^has been invited already/, ({ taken }) => taken],
  [/^belongs to another (.+)/, ({ other }, what = '') => other(what)],
  [/^must be the (?:id|name) of an? /, ({ unknown }) => unknown],
  [/^must be the name of the store/, ({ storeName }) => storeName],
  [/^must be one of /, ({ choose }) => choose],
  [/^must be an image|^must be only a picture/, ({ notPicture }) => notPicture],
  [/^must be an intact picture/, ({ broken }) => broken],
  [/^must have at most (\d+ MB)/, ({ tooBig }, size = '') => tooBig(size)],
  [/^is given twice|^must be (?:listed|given) once/, ({ twice }) => twice],
  [/^is wrong or was used before/, ({ wrongCode }) => wrongCode],
  [/^needs one of your own first/, ({ ownFirst }) => ownFirst],
  [/^This is the last owner/, ({ lastOwner }) => lastOwner],
  [/^This is the last operator/, ({ lastOperator }) => lastOperator],
  [/^is out of stock/, ({ inStock }) => inStock('0')],
  [/in stock: (\d+) unit/, ({ inStock }, left = '') => inStock(left)],
  [/^must not be more than .*?: ([\d.]+)(?: units?)? (?:is|are) left/, ({ left }, units = '') => left(units)],
  [/^must be (?:1 to|at most) (\d+) letters/, ({ letters }, max = '') => letters(max)],
]

/** A sentence of the API about a field, in the words of the pages if they have some for it. */
export const sentenceInWords = (problems: Problems) => (sentence: string) => {
  for (const [pattern, write] of SENTENCES) {
    const found = pattern.exec(sentence)
    if (found) return write(problems, ...found.slice(1))
  }
  return sentence
}

const MEGABYTE = 1024 ** 2

/** Which limits of the plan there is no room in: the API gives `limit: 5` and `used: 5` by their names. */
const limitsInWords = (fields: Record<string, string[]>, { problems, controls }: Messages) =>
  Object.entries(fields)
    .map(([name, sentences]) => {
      const show = (sentence = '') => {
        const count = Number(sentence.split(' ').at(-1))
        return name === 'storage' ? `${Math.ceil(count / MEGABYTE)} MB` : String(count)
      }
      const [limit, used] = sentences.map(show)
      const label = problems.limitNames[name as keyof Problems['limitNames']] ?? name
      return controls.labelled(label, problems.usedOf(used ?? '', limit ?? ''))
    })
    .join(' · ')

const messageOf = (error: unknown, messages: Messages): string => {
  const { problems, account } = messages
  if (error instanceof ConnectionError || error instanceof TypeError) return problems.noAnswer
  if (!(error instanceof ApiError || error instanceof ConsoleError))
    return error instanceof Error ? error.message : String(error)
  if (error.status >= 500) return problems.unavailable
  if (error.code === 'plan_limit') return `${problems.planLimit} ${limitsInWords(error.fields, messages)}`
  if (error.status === 429 && error.code === 'rate_limited') return problems.tooMany
  if (error.code === 'sign_in_failed') return account.wrong
  if (error.code === 'sign_in_required') return problems.signedOut
  if (error.code === 'store_suspended') return problems.suspended
  if (error.code === 'forbidden') return problems.forbidden
  if (error.code === 'not_found') return problems.gone
  if (error.code === 'idempotency_conflict') return problems.recorded
  return error instanceof ApiError ? error.reason : error.message
}

/** An error of either API for a person: what happened, and what is wrong by field. */
export const describeError = (
  error: unknown,
  messages: Messages,
): { message: string; fields: Record<string, string[]> } => {
  const hasFields = (error instanceof ApiError || error instanceof ConsoleError) && error.code !== 'plan_limit'
  const fields = hasFields ? error.fields : {}
  return {
    message: messageOf(error, messages),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, sentences]) => [name, sentences.map(sentenceInWords(messages.problems))]),
    ),
  }
}

/** Whether somebody else has changed the resource since it was read (412). */
export const isConflict = (error: unknown): error is ApiError | ConsoleError =>
  (error instanceof ApiError || error instanceof ConsoleError) && error.status === 412

/** Whether the call may have been carried out although it failed: no answer came, or one that does not say. */
export const isUnanswered = (error: unknown) =>
  error instanceof ConnectionError ||
  error instanceof TypeError ||
  ((error instanceof ApiError || error instanceof ConsoleError) && error.status >= 500)
