import { foldText } from '../../core/input/normalize-text.ts'
import type { ValidationErrors } from '../../errors.ts'
import type { BundleChanges } from './schema.ts'

const MAX_KEY_LENGTH = 255

export const nameColumns = (name: string) => ({ name, name_key: foldText(name).slice(0, MAX_KEY_LENGTH) })

export type Option = NonNullable<BundleChanges['options']>[number]

export const checkNames = (options: readonly Option[], errors: ValidationErrors) => {
  const names = new Set<string>()
  for (const [index, { name }] of options.entries()) {
    const folded = foldText(name)
    if (names.has(folded)) errors.add(`options.${index}.name`, 'must differ from the names of the other options')
    names.add(folded)
  }
}
