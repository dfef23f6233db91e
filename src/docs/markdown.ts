import { readdirSync, readFileSync } from 'node:fs'
import type { OpenApiDocument } from '../core/openapi/document.ts'
import { DEFAULT_BASE_URL } from './guides.ts'

const FOLDER = new URL('./guides/', import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: parts of an OpenAPI document.
type Json = any

export interface Page {
  /** Below /docs: `guides/paging` or `operations/listProducts`. */
  path: string
  title: string
  summary: string
  text: string
}

/** What a heading is called in links of the documentation page. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

/** Links of the documentation page, where all guides are on one page, as links between pages. */
const linkPages = (pages: Page[], site: string): Page[] => {
  const places = new Map(
    pages.flatMap(({ path, title, text }) =>
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
        const anchor = anchorOf(heading)
        return [anchor, `${site}/docs/${path}.md${heading === title ? '' : `#${anchor}`}`] as const
      }),
    ),
  )
  const link = (whole: string, anchor: string) => {
    const place = places.get(anchor)
    return place ? `](${place})` : whole
  }
  return pages.map((page) => ({ ...page, text: page.text.replace(/\]\(#description\/([^()\s]+)\)/g, link) }))
}

/** The guides, each as a page. */
const guidePages = (baseUrl: string, site: string): Page[] => {
  const pages = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, FOLDER), 'utf8').trim().replaceAll(DEFAULT_BASE_URL, baseUrl)
      const [, title = name, summary = ''] = /^# (.+)\n+([^\n]*)/.exec(text) ?? []
      return { path: `guides/${name.replace(/^\d+-|\.md$/g, '')}`, title, summary: summary.split('. ')[0] ?? '', text }
    })
  return linkPages(pages, site)
}

const typeOf = (schema: Json): string => {
  if (!schema) return ''
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if (schema.enum) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(' \\| ')
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' \\| ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`
  return Array.isArray(schema.type) ? schema.type.join(' \\| ') : (schema.format ?? schema.type ?? 'any')
}

const cell = (text = '') => text.replaceAll('\n', ' ').replaceAll('|', '\\|')

const table = (rows: { name: string; schema: Json; required: boolean; about?: string }[]) =>
  [
    '| Name | Type | |',
    '|---|---|---|',
    ...rows.map(
      ({ name, schema, required, about }) =>
        `| \`${name}\`${required ? ' (required)' : ''} | ${typeOf(schema)} | ${cell(about)} |`,
    ),
  ].join('\n')

const fenced = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const resolved = (document: OpenApiDocument, part: Json): Json => {
  if (!part?.$ref) return part
  return part.$ref
    .split('/')
    .slice(1)
    .reduce((at: Json, name: string) => at[name], document)
}

const bodySection = (document: OpenApiDocument, operation: Json): string[] => {
  const content = Object.entries((operation.requestBody?.content ?? {}) as Json)
  // Forms have the same as one of their parts.
  const [type, media] = content.find(([name]) => name === 'application/json') ?? content[0] ?? []
  if (!media) return []
  const schema = resolved(document, (media as Json).schema)
  const fields = Object.entries((schema?.properties ?? {}) as Json).map(([name, shape]) => ({
    name,
    schema: shape,
    required: schema.required?.includes(name) ?? false,
    about: (shape as Json).description,
  }))
  const { example } = media as Json
  return [
    `## Body (${type})`,
    ...(fields.length > 0 ? [table(fields)] : []),
    ...(example === undefined ? [] : ['Example:', fenced(example)]),
  ]
}

const replySection = (operation: Json): string[] =>
  Object.entries(operation.responses as Json).flatMap(([status, reply]) => {
    if (!status.startsWith('2')) return []
    const media = Object.values(((reply as Json).content ?? {}) as Json)[0] as Json
    const example = media?.example
    const data = media?.schema?.properties?.data?.properties
    const shape = data && Object.entries(data).map(([name, schema]) => `\`${name}\`: ${typeOf(schema)}`)
    return [
      `## Reply ${status}`,
      ...(shape?.length > 0 ? [`\`data\` has ${shape.join(', ')}.`] : []),
      ...(example === undefined ? [] : ['Example:', fenced(example)]),
    ]
  })

const operationText = (document: OpenApiDocument, method: string, path: string, operation: Json) => {
  const parameters = (operation.parameters ?? []).map((one: Json) => resolved(document, one))
  const rows = parameters.map(({ name, in: place, schema, required, description }: Json) => ({
    name,
    schema,
    required,
    about: `In ${place}. ${description ?? ''}`,
  }))
  return [
    `# ${operation.summary}`,
    `\`${method.toUpperCase()} ${document.servers[0]?.url}${path === '/' ? '' : path}\``,
    operation.description,
    ...(rows.length > 0 ? ['## Parameters', table(rows)] : []),
    ...bodySection(document, operation),
    ...replySection(operation),
  ].join('\n\n')
}

const operationPages = (document: OpenApiDocument): Page[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]: [string, Json]) => ({
      path: `operations/${operation.operationId}`,
      title: operation.operationId,
      summary: operation.summary,
      text: operationText(document, method, path, operation),
    })),
  )

const schemaText = (document: OpenApiDocument) =>
  Object.entries(document.components.schemas as Json).map(([name, schema]: [string, Json]) => {
    const { properties = {}, required = [] } = schema
    const rows = Object.entries(properties as Json).map(([field, shape]) => ({
      name: field,
      schema: shape,
      required: required.includes(field),
      about: (shape as Json).description,
    }))
    return [`## ${name}`, ...(rows.length > 0 ? [table(rows)] : [typeOf(schema)])].join('\n\n')
  })

const ABOUT =
  'A self-hosted HTTP service for online stores: products, orders, customers, files and events, for installed apps and for ' +
  'assistants. JSON; access tokens; one store for each installation.'

export interface MarkdownDocuments {
  /** By path below /docs. */
  pages: ReadonlyMap<string, string>
  /** What there is, with links. */
  index: string
  /** Everything in one file. */
  full: string
}

/** The documentation as Markdown, for assistants that write apps. `site` is where /docs is. */
export const markdownDocuments = (document: OpenApiDocument, site: string): MarkdownDocuments => {
  const [guides, operations] = [guidePages(document.servers[0]?.url ?? '', site), operationPages(document)]
  const link = ({ path, title, summary }: Page) => `- [${title}](${site}/docs/${path}.md)${summary && `: ${summary}`}`
  const index = [
    '# Storefront Apps API',
    `> ${ABOUT}`,
    `Everything in one file: ${site}/llms-full.txt. OpenAPI 3.1: ${site}/openapi.json.`,
    '## Guides',
    guides.map(link).join('\n'),
    '## Operations',
    operations.map(link).join('\n'),
  ]
  const full = [
    '# Storefront Apps API',
    ABOUT,
    ...guides.map(({ text }) => text),
    ...operations.map(({ text }) => text),
    '# Shapes',
    ...schemaText(document),
  ]
  return {
    pages: new Map([...guides, ...operations].map(({ path, text }) => [path, `${text}\n`])),
    index: `${index.join('\n\n')}\n`,
    full: `${full.join('\n\n')}\n`,
  }
}
