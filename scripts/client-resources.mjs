// Writes the calls of client/src/resources.ts from the OpenAPI document: a group for each list, and in it a function for
// each operation at the list's path or below. What has no list, such as /stock, is a group by the name of its path.

const METHODS = ['get', 'post', 'put', 'delete']

/** Parameters of all writes or reads. The client has an option for the first; replies with some fields have another type. */
export const GENERAL = new Set(['dry_run', 'fields'])

const pascal = (text) => text.replace(/(?:^|[-_])(\w)/g, (_, letter) => letter.toUpperCase())
const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())

const dataOf = ({ responses }) => {
  const [, success] = Object.entries(responses).find(([status]) => /^2\d\d$/.test(status)) ?? []
  return success?.content?.['application/json']?.schema?.properties?.data
}

const operationsOf = (document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const operation = item[method]
      const parameters = (operation.parameters ?? []).map((parameter) =>
        parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter,
      )
      const data = dataOf(operation)
      const form = operation.requestBody?.content['multipart/form-data']?.schema
      const isBinary = (schema) => schema.format === 'binary' || schema.items?.format === 'binary'
      return {
        ...operation,
        method: method.toUpperCase(),
        path,
        name: `'${method.toUpperCase()} ${path}'`,
        keys: data && Object.keys(data.properties ?? {}),
        ids: parameters.filter((parameter) => parameter.in === 'path'),
        // See GENERAL in client-types.mjs.
        hasQuery: parameters.some(({ in: place, name }) => place === 'query' && !GENERAL.has(name)),
        isVersioned: parameters.some(({ name }) => name === 'If-Match'),
        isOpen: operation.security?.length === 0,
        parts: Object.entries(form?.properties ?? {}).flatMap(([name, schema]) => (isBinary(schema) ? [name] : [])),
        required: form?.required ?? [],
      }
    }),
  )

/** `getOrder` becomes `orders.get`; `updateDelivery` becomes `orders.updateDelivery`. */
const verbOf = ({ operationId }, { path, operationId: listId = '' }) => {
  const [, verb, noun] = /^([a-z]+)(\w*)$/.exec(operationId) ?? []
  return noun === pascal(path.slice(1)) || noun === listId.slice('list'.length) ? verb : operationId
}

const optionsType = ({ method, parts, isVersioned }) => {
  if (method === 'GET') return 'CallOptions'
  const types = [...(parts.length > 0 ? ['UploadOptions'] : []), ...(isVersioned ? ['UpdateOptions'] : [])]
  return types.length > 0 ? types.join(' & ') : 'WriteOptions'
}

/** The part `images[]` becomes the option `images`. A required part becomes an argument. */
const optionOf = (part) => part.replace('[]', '')

const functionOf = (operation) => {
  const { method, path, name, keys, ids, hasQuery, isOpen, parts, required, requestBody } = operation
  const own = parts.filter((part) => required.includes(part))
  const optional = parts.filter((part) => !required.includes(part))
  const options = optionsType(operation)
  const takesBody = requestBody !== undefined
  const ndjsonBody = requestBody?.content['application/x-ndjson'] !== undefined
  // Only a new resource may be created with defaults alone; an update without a body is a mistake.
  const mayBeEmpty = own.length > 0 || (ids.length === 0 && !requestBody?.required)
  const takenOptions =
    optional.length > 0
      ? `{ ${optional.map(optionOf).join(', ')}, ...options }: FileOptions<${name}> & ${options} = {}`
      : `options?: ${options}`
  const taken = [
    ...ids.map(({ name: id, schema }) => `${camel(id)}: ${schema.enum ? `Path<${name}>['${id}']` : 'string'}`),
    ...own.map((part) => `${part}: Upload`),
    ...(takesBody ? [`body: Body<${name}>${mayBeEmpty ? ` = ${ndjsonBody ? '[]' : '{}'}` : ''}`] : []),
    ...(hasQuery ? [`query: Query<${name}> = {}`] : []),
    takenOptions,
  ]
  const files = [...own, ...optional.map((part) => `'${part}': ${optionOf(part)}`)]
  const given = [
    ...(ids.length > 0
      ? [`path: { ${ids.map(({ name: id }) => (id === camel(id) ? id : `${id}: ${camel(id)}`)).join(', ')} }`]
      : []),
    ...(hasQuery ? ['query'] : []),
    ...(takesBody ? ['body'] : []),
    ...(files.length > 0 ? [`files: { ${files.join(', ')} }`] : []),
    '...options',
  ]
  const call = `${isOpen ? 'open' : 'request'}('${method}', '${path}', { ${given.join(', ')} })`
  if (keys?.length === 0) return `async (${taken.join(', ')}): Promise<void> => { await ${call} }`
  if (keys?.length === 1) return `async (${taken.join(', ')}) => (await ${call}).${keys[0]}`
  return `(${taken.join(', ')}) => ${call}`
}

const commentOf = ({ summary }) => `/** ${summary}. */\n`

const groupOf = (list, operations) => {
  const [key] = list.keys
  const isPaged = list.keys.includes('pagination')
  const listName = camel(`list_${key}`)
  const members = [
    isPaged
      ? `${commentOf(list)}list: ${listName},
         /** Every row of the list, page after page. */
         all: (query?: WholeList<Query<${list.name}>>, options?: CallOptions) => everyRow(${listName}, '${key}', query, options)`
      : `${commentOf(list)}list: ${functionOf(list)}`,
    ...operations.map((operation) => `${commentOf(operation)}${verbOf(operation, list)}: ${functionOf(operation)}`),
  ]
  return {
    before: isPaged ? `const ${listName} = ${functionOf(list)}\n` : '',
    member: `${key}: {\n${members.join(',\n')}\n}`,
  }
}

const isBelow = (path, { path: start }) => `${path}/`.startsWith(`${start}/`)

/** Operations below no list, by the first part of their path. Those that need no permission have calls of their own. */
const groupsWithoutList = (operations, lists) => {
  const others = operations.filter(
    (operation) => operation['x-permission'] && !lists.some((list) => isBelow(operation.path, list)),
  )
  const names = new Set(others.map(({ path }) => path.split('/')[1]))
  return [...names].map((name) => {
    const group = { path: `/${name}` }
    const members = others
      .filter(({ path }) => isBelow(path, group))
      .map((operation) => `${commentOf(operation)}${verbOf(operation, group)}: ${functionOf(operation)}`)
    return { before: '', member: `${camel(name.replaceAll('-', '_'))}: {\n${members.join(',\n')}\n}` }
  })
}

export const clientResources = (document) => {
  const operations = operationsOf(document)
  const lists = operations.filter(({ operationId }) => operationId.startsWith('list'))
  const listGroups = lists.map((list) =>
    groupOf(
      list,
      operations.filter((operation) => operation !== list && isBelow(operation.path, list)),
    ),
  )
  const groups = [...listGroups, ...groupsWithoutList(operations, lists)]
  return `// Written from openapi.json by scripts/client-resources.mjs. To change it, change the server's routes.
    import { everyRow, type WholeList } from './every-row.ts'
    import type { Upload } from './multipart-body.ts'
    import type { Body, CallOptions, FileOptions, Path, Query, Request, UpdateOptions, UploadOptions, WriteOptions } from './request.ts'

    /** The calls of every resource. \`open\` sends no token. */
    export const resourceCalls = (request: Request, open: Request) => {
      ${groups.map(({ before }) => before).join('')}
      return {
        ${groups.map(({ member }) => member).join(',\n')}
      }
    }`
}
