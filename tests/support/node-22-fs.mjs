// The official conformance suite imports `globSync`, which Node 20 does not have, for a command that tests do not use.
import { register } from 'node:module'

const shim = `data:text/javascript,${encodeURIComponent(
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => []",
)}`
const resolve = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/')
    ? { url: ${JSON.stringify(shim)}, shortCircuit: true }
    : next(name, context)`
register(`data:text/javascript,${encodeURIComponent(resolve)}`)
