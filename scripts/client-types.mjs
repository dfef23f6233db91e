// Writes two files of the client from openapi.json: types.ts, the shapes by name and each operation with what goes in
// and out, and resources.ts, the calls.
import { spawnSync } from 'node:child_process'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { clientResources, GENERAL } from './client-resources.mjs'

const at = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

const METHODS = ['get', 'post', 'put', 'delete']
/** Renames schemas that would shadow a global. */
const RENAMED = { Error: 'ErrorBody', File: 'StoredFile' }

const nameOf = ($ref) => {
  const name = $ref.split('/').at(-1)
  return RENAMED[name] ?? name
}

const comment = (...sentences) => {
  const text = sentences.filter(Boolean).join(' ').replaceAll('*/', '*\\/').replace(/\s+/g, ' ').trim()
  return text ? `/** ${text} */\n` : ''
}

const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)

const union = (types) => [...new Set(types)].join(' | ')

const PRIMITIVE = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' }

const record = (schema) => {
  const values = [...Object.values(schema.patternProperties ?? {}), schema.additionalProperties].filter(
    (inner) => inner && typeof inner === 'object',
  )
  return `Record<string, ${values.length > 0 ? union(values.map(typeOf)) : 'unknown'}>`
}

const objectOf = (properties, required = []) => {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema.description)}${key(name)}${mark}: ${typeOf(schema)}`
  })
  return fields.length > 0 ? `{\n${fields.join('\n')}\n}` : 'Record<string, never>'
}

/** Converts a JSON schema to TypeScript. Covers what our document uses. */
const typeOf = (schema) => {
  const { $ref, anyOf, oneOf, allOf, type, items, properties, required } = schema
  if ($ref) return nameOf($ref)
  if (anyOf ?? oneOf) return union((anyOf ?? oneOf).map(typeOf))
  if (allOf) return allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one })))
  if (type === 'array') return `(${typeOf(items ?? {})})[]`
  if (properties) return objectOf(properties, required)
  if (type === 'object') return record(schema)
  return PRIMITIVE[type] ?? 'unknown'
}

const isBinary = (schema) => schema.format === 'binary' || schema.items?.format === 'binary'

const inPlace = (parameters, place) => parameters.filter((parameter) => parameter.in === place)

/** Date filters also accept a Date. */
const BOUND = /^(updated_)?(from|to)$/

const queryTypeOf = (name, schema) => {
  if (BOUND.test(name)) return 'DateBound'
  return schema.type === 'array' ? `${typeOf(schema.items)} | ${typeOf(schema)}` : typeOf(schema)
}

const queryOf = (parameters) => {
  const own = inPlace(parameters, 'query').filter(({ name }) => !GENERAL.has(name))
  const fields = own.map(({ name, description, schema }) => {
    const usual = schema.default === undefined ? undefined : `Default: ${schema.default}.`
    return `${comment(description, usual)}${key(name)}?: ${queryTypeOf(name, schema)}`
  })
  return fields.length > 0 ? `{\n${fields.join('\n')}\n}` : 'never'
}

const pathOf = (parameters) => {
  const fields = inPlace(parameters, 'path').map(({ name, schema }) => `${key(name)}: ${typeOf(schema)}`)
  return fields.length > 0 ? `{ ${fields.join('; ')} }` : 'never'
}

const bodyOf = (requestBody) => {
  if (requestBody?.content['application/x-ndjson']) return 'JsonLines'
  const json = requestBody?.content['application/json']?.schema
  if (json) return typeOf(json)
  const form = requestBody?.content['multipart/form-data']?.schema
  if (!form) return 'never'
  return objectOf(Object.fromEntries(Object.entries(form.properties).filter(([, schema]) => !isBinary(schema))))
}

const filesOf = (requestBody) => {
  const form = requestBody?.content['multipart/form-data']?.schema
  const files = Object.entries(form?.properties ?? {}).filter(([, schema]) => isBinary(schema))
  if (files.length === 0) return 'never'
  return `{ ${files
    .map(([name, { type }]) => {
      const mark = form.required?.includes(name) ? '' : '?'
      return `${key(name)}${mark}: ${type === 'array' ? 'Upload[]' : 'Upload'}`
    })
    .join('; ')} }`
}

/** The type of `data` in the reply, or a stream if the reply is not JSON. */
const replyOf = (responses) => {
  const [, success] = Object.entries(responses).find(([status]) => /^2\d\d$/.test(status)) ?? []
  const data = success?.content?.['application/json']?.schema?.properties?.data
  return data ? typeOf(data) : 'ReadableStream<Uint8Array>'
}

const operationOf = (document, path, method) => {
  const { summary, parameters = [], requestBody, responses, ...rest } = document.paths[path][method]
  const resolved = parameters.map((parameter) =>
    parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter,
  )
  const permission = rest['x-permission']
  return `${comment(`${summary}.`, permission && `Needs ${permission}.`)}'${method.toUpperCase()} ${path}': {
    path: ${pathOf(resolved)}
    query: ${queryOf(resolved)}
    body: ${bodyOf(requestBody)}
    files: ${filesOf(requestBody)}
    reply: ${replyOf(responses)}
  }`
}

/** Kinds of resources in events, with their types: `order: Order`. */
const resourceKinds = (webhooks) =>
  Object.entries(webhooks).flatMap(([type, { post }]) => {
    const [kind, action] = type.split('.')
    if (action !== 'created') return []
    const [, event] = post.requestBody.content['application/json'].schema.allOf
    return [`${kind}: ${nameOf(event.properties.data.anyOf[0].$ref.split('/').at(-1))}`]
  })

const formatted = (file, text) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [at('node_modules/@biomejs/biome/bin/biome'), 'format', `--stdin-file-path=${file}`],
    { cwd: at('.'), input: text, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`${file} could not be formatted: ${stderr}`)
  return stdout
}

const clientTypes = (document) => {
  const shapes = Object.entries(document.components.schemas).map(([name, schema]) => {
    const shape = typeOf(schema)
    const declared = shape.startsWith('{') ? `interface ${nameOf(name)} ${shape}` : `type ${nameOf(name)} = ${shape}`
    return `${comment(schema.description)}export ${declared}`
  })
  const operations = Object.keys(document.paths).flatMap((path) =>
    METHODS.filter((method) => method in document.paths[path]).map((method) => operationOf(document, path, method)),
  )
  return `// Written from openapi.json by scripts/client-types.mjs. To change it, change the server's schemas.
    import type { JsonLines } from './json-lines.ts'
    import type { Upload } from './multipart-body.ts'

    /** An ISO 8601 date or date-time, Unix seconds, or a Date. */
    export type DateBound = string | number | Date

    ${shapes.join('\n\n')}

    /** Resources by the kind that events and snapshots call them. */
    export interface ResourceOf {
      ${resourceKinds(document.webhooks).join('\n')}
    }

    /** Every operation: what its path, query, body and files are, and what its reply has in \`data\`. */
    export interface Operations {
      ${operations.join('\n')}
    }`
}

const WRITERS = { 'client/src/types.ts': clientTypes, 'client/src/resources.ts': clientResources }

/** What the generated files should hold, by name. */
export const clientFiles = (document) =>
  Object.fromEntries(Object.entries(WRITERS).map(([file, write]) => [file, formatted(file, write(document))]))

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const document = JSON.parse(readFileSync(process.argv[2] ?? at('openapi.json'), 'utf8'))
  for (const [file, text] of Object.entries(clientFiles(document))) writeFileSync(at(file), text)
}
