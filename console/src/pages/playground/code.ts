import {
  type Call,
  chosenFiles,
  formatOf,
  formFields,
  headersOf,
  KEY_HEADER,
  pathOf,
  pathValues,
  queryValues,
} from './call.ts'
import type { Parameter } from './operations.ts'

export const LANGUAGES = ['curl', 'client', 'fetch'] as const
export type CodeLanguage = (typeof LANGUAGES)[number]

interface Target {
  /** Ends in `/api/apps/v1`. */
  baseUrl: string
  /** Only if somebody asks for it; otherwise a variable takes its place. */
  token: string | undefined
}

const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const script = (text: string) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const indent = (text: string, by: string) => text.trim().replaceAll('\n', `\n${by}`)

const name = (text: string) => (/^[A-Za-z_$][\w$]*$/.test(text) ? text : script(text))

const CONTENT_TYPES = { json: 'application/json', lines: 'application/x-ndjson' }

const curlBody = (call: Call) => {
  const format = formatOf(call)
  if (format === 'nothing') return []
  if (format !== 'form')
    return [
      `-H 'Content-Type: ${CONTENT_TYPES[format]}'`,
      `--data-${format === 'lines' ? 'binary' : 'raw'} ${shell(call.body)}`,
    ]
  return [
    // A plain -F would read meaning into the signs of JSON.
    ...formFields(call).map(([field, value]) => `--form-string ${shell(`${field}=${value}`)}`),
    ...chosenFiles(call).map(({ name, file }) => `-F ${shell(`${name}=@"${file.name.replaceAll(/["\\]/g, '\\$&')}"`)}`),
  ]
}

const curl = (call: Call, { baseUrl, token }: Target) => {
  const { method, takesToken } = call.operation
  const authorization = token ? shell(`Authorization: Bearer ${token}`) : `"Authorization: Bearer $TOKEN"`
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${shell(baseUrl + pathOf(call))}`,
    ...(takesToken ? [`-H ${authorization}`] : []),
    ...Object.entries(headersOf(call)).map(([header, value]) => `-H ${shell(`${header}: ${value}`)}`),
    ...curlBody(call),
  ].join(' \\\n  ')
}

const scriptToken = (token: string | undefined) => (token ? script(token) : 'process.env.TOKEN')

const formLines = (call: Call) => [
  'const form = new FormData()',
  ...formFields(call).map(([field, value]) =>
    call.operation.body?.isPlainForm
      ? `form.append(${script(field)}, ${script(value)})`
      : `form.append(${script(field)}, JSON.stringify(${indent(value || '{}', '')}))`,
  ),
  ...chosenFiles(call).map(
    ({ name, file }) => `form.append(${script(name)}, await openAsBlob(${script(file.name)}), ${script(file.name)})`,
  ),
  '',
]

const fetchBody = (call: Call) => {
  const format = formatOf(call)
  if (format === 'nothing') return []
  if (format === 'form') return ['  body: form,']
  return [`  body: ${format === 'json' ? `JSON.stringify(${indent(call.body, '  ')})` : script(call.body)},`]
}

const fetchCode = (call: Call, { baseUrl, token }: Target) => {
  const { method, takesToken } = call.operation
  const format = formatOf(call)
  const headers = [
    ...(takesToken
      ? [token ? `Authorization: ${script(`Bearer ${token}`)}` : `Authorization: \`Bearer \${process.env.TOKEN}\``]
      : []),
    ...(format === 'json' || format === 'lines' ? [`'Content-Type': '${CONTENT_TYPES[format]}'`] : []),
    ...Object.entries(headersOf(call)).map(([header, value]) => `${name(header)}: ${script(value)}`),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers.map((header) => `    ${header},`), '  },'] : []),
    ...fetchBody(call),
  ]
  const url = script(baseUrl + pathOf(call))
  return [
    ...(chosenFiles(call).length > 0 ? [`import { openAsBlob } from 'node:fs'`, ''] : []),
    ...(format === 'form' ? formLines(call) : []),
    ...(options.length > 0
      ? [`const reply = await fetch(${url}, {`, ...options, '})']
      : [`const reply = await fetch(${url})`]),
    'console.log(reply.status, await reply.text())',
  ].join('\n')
}

const literal = ({ kind }: Parameter, value: string) => {
  if (kind === 'list') return `[${value.split(',').map(script).join(', ')}]`
  if (kind === 'boolean' && /^(true|false)$/.test(value)) return value
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return value
  return script(value)
}

const object = (entries: readonly string[]) => `{ ${entries.join(', ')} }`

const clientFiles = (call: Call) => {
  const chosen = Object.entries(call.files).filter(([, files]) => files.length > 0)
  return chosen.map(([part, files]) => {
    const paths = files.map((file) => `await fileFromPath(${script(file.name)})`)
    return `${name(part)}: ${part.endsWith('[]') ? `[${paths.join(', ')}]` : paths[0]}`
  })
}

const clientBody = (call: Call) => {
  const { body, operation } = call
  if (formatOf(call) === 'nothing' || body.trim() === '') return []
  if (operation.body?.kind !== 'lines') return [`body: ${indent(body, '  ')}`]
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  return [`body: [${lines.join(', ')}]`]
}

/** Headers that the client has an option for. */
const OPTIONS: Record<string, string> = { [KEY_HEADER]: 'idempotencyKey', 'If-Match': 'ifMatch', Prefer: 'dryRun' }

const clientOptions = (call: Call) => {
  const path = Object.entries(pathValues(call)).map(([key, value]) => `${name(key)}: ${script(value)}`)
  const query = queryValues(call).map(([one, value]) => `${name(one.name)}: ${literal(one, value)}`)
  const files = clientFiles(call)
  const headers = Object.entries(headersOf(call)).flatMap(([header, value]) => {
    const option = OPTIONS[header]
    return option ? [`${option}: ${header === 'Prefer' ? 'true' : script(value)}`] : []
  })
  return [
    ...(path.length > 0 ? [`path: ${object(path)}`] : []),
    ...(query.length > 0 ? [`query: ${object(query)}`] : []),
    ...clientBody(call),
    ...(files.length > 0 ? [`files: ${object(files)}`] : []),
    ...headers,
  ]
}

const clientCode = (call: Call, { baseUrl, token }: Target) => {
  const { method, path, answersJson } = call.operation
  const options = clientOptions(call)
  const given = options.length > 0 ? `, {\n${options.map((option) => `  ${option},`).join('\n')}\n}` : ''
  return [
    `import { createClient } from 'storefront-apps-client'`,
    ...(chosenFiles(call).length > 0 ? [`import { fileFromPath } from 'storefront-apps-client/node'`] : []),
    '',
    `const client = createClient({ baseUrl: ${script(baseUrl)}, token: ${scriptToken(token)}${token ? '' : " ?? ''"} })`,
    `const reply = await client.request('${method}', ${script(path)}${given})`,
    answersJson ? 'console.log(JSON.stringify(reply, null, 2))' : 'console.log(await new Response(reply).text())',
  ].join('\n')
}

const WRITERS = { curl, client: clientCode, fetch: fetchCode }

/** The same call as a command or a program. */
export const codeOf = (language: CodeLanguage, call: Call, target: Target) => WRITERS[language](call, target)
