import { closestName } from '../../config/misspelt.ts'
import type { Arguments } from './operations.ts'
import { ToolError } from './tool-error.ts'
import type { Tool } from './tools.ts'

const KINDS: Record<string, { is: (value: unknown) => boolean; called: string }> = {
  object: {
    is: (value) => typeof value === 'object' && !Array.isArray(value),
    called: 'an object, not a list and not JSON in a text',
  },
  array: { is: Array.isArray, called: 'a list' },
  string: { is: (value) => typeof value !== 'object', called: 'text' },
}

/** Refuses what a tool does not take: a model would believe that an ignored argument had been respected. */
export const checkArguments = ({ name: tool, inputSchema }: Tool, given: Arguments): Arguments => {
  const { properties = {}, required = [] } = inputSchema
  const names = Object.keys(properties)
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined))
  for (const [name, value] of Object.entries(args)) {
    const kind = KINDS[String(properties[name]?.type)]
    if (!kind) {
      const meant = closestName(name, names)
      throw new ToolError(`${tool} has no argument ${name}.`, {
        field: name,
        hint: meant ? `Did you mean ${meant}?` : `It takes ${names.join(', ') || 'none'}.`,
      })
    }
    if (!kind.is(value)) throw new ToolError(`${name} must be ${kind.called}.`, { field: name })
  }
  for (const name of required)
    if (args[name] === undefined)
      throw new ToolError(`${tool} needs the argument ${name}.`, {
        field: name,
        hint: String(properties[name]?.description ?? `One of ${properties[name]?.enum}.`),
      })
  return args
}
