import type { OpenApiDocument } from '../core/openapi/document.ts'

const ABOUT = 'The guides and the examples are in the document that a server returns at /openapi.json.'

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object'

const isExample = (name: string) => name === 'example' || name === 'examples'

/** Fields of a schema may have any name, also `example`. */
const withoutExamples = (value: unknown, isFieldNames = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutExamples(item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isFieldNames || !isExample(name))
      .map(([name, inner]) => [name, withoutExamples(inner, name === 'properties' && !isFieldNames)]),
  )
}

/** The document without guides and examples, so that a change of the contract can be read in a diff. */
export const contractOf = (document: OpenApiDocument) => {
  const contract = withoutExamples(document) as OpenApiDocument
  return { ...contract, info: { ...contract.info, description: ABOUT } }
}
