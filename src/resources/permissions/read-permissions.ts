import { closestName } from '../../config/misspelt.ts'
import { OperatorError } from '../../errors.ts'
import { isPermission, PERMISSIONS } from './catalogue.ts'

const withGuess = (name: string) => {
  const meant = closestName(name.toLowerCase(), PERMISSIONS)
  return meant ? `${name} (did you mean ${meant}?)` : name
}

/** Checks the permissions that an operator names. `all` means every permission. */
export const readPermissions = (names: readonly string[]): string[] => {
  const unknown = names.filter((name) => name !== 'all' && !isPermission(name))
  if (unknown.length > 0)
    throw new OperatorError(`No such permission: ${unknown.map(withGuess).join(', ')}. GET /permission lists them all.`)
  return names.includes('all') ? [...PERMISSIONS] : [...new Set(names)]
}
