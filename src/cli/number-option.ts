import { type Input, UsageError } from './arguments.ts'

export const numberOption = (input: Input, name: string, usual: number, most: number) => {
  const text = input.optional(name)
  const number = text === undefined ? usual : Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new UsageError(`--${name} must be a number from 1 to ${most}.`)
}
