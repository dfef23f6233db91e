import type { OpenApiDocument } from '../core/openapi/document.ts'

interface Parameter {
  in?: string
  required?: boolean
  schema?: { enum?: unknown[]; items?: { enum?: unknown[] }; default?: unknown }
}

interface Operation {
  parameters?: Parameter[]
}

/** The page would send the first value of every enum filter by default. This keeps the choices but sends none. */
const switchedOff = (parameter: Parameter) => {
  const { in: location, required, schema } = parameter
  const [choice] = schema?.enum ?? schema?.items?.enum ?? []
  if (location !== 'query' || required || choice === undefined || schema?.default !== undefined) return parameter
  return { ...parameter, examples: { default: { value: choice, 'x-disabled': true } } }
}

const eachOperation = (operations: Record<string, Operation>) =>
  Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      operation.parameters ? { ...operation, parameters: operation.parameters.map(switchedOff) } : operation,
    ]),
  )

/** The OpenAPI document with extensions for the page. */
export const pageDocument = (document: OpenApiDocument) => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [
      path,
      eachOperation(operations as Record<string, Operation>),
    ]),
  ),
})
