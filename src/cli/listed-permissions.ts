import type { Input } from './arguments.ts'

/** Of --grant: separated by spaces or commas. */
export const listedPermissions = (input: Input, option = 'grant') =>
  input
    .list(option)
    .flatMap((word) => word.split(','))
    .filter((word) => word !== '')
