// Checks that no regular expression of the source takes more than linear time, which a long text could use to stop the server.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { check } from 'recheck'
import { parseAst } from 'rolldown/parseAst'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['src', 'client/src', 'console/src']

/** Only steps are counted, so that the result is the same on a busy machine. Most patterns take a few milliseconds. */
const LIMITS = { timeout: 60_000, attackTimeout: null, incubationTimeout: null }

/** Patterns that are linear although the checker cannot tell, each with the reason. */
const ALLOWED = new Map([
  [
    String.raw`\b${'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'}\b`,
    'reads 36 characters from each start',
  ],
  [
    String.raw`^(?:\s|<\?xml[^>]*>|<!--[\s\S]*?-->|<!doctype\s+svg[^>[]*(?:\[[^\]]*\]\s*)?>)*`,
    'starts at one place, and nothing follows that it could go back for',
  ],
  [
    String.raw`;\s*filename\*\s*=\s*(utf-8|iso-8859-1)'[^';]*'([^;\s]+)`,
    'each start reads up to the next semicolon, which is the next start',
  ],
])

/** Expressions that are put together while the server runs. */
const ALLOWED_EXPRESSIONS = new Map([['src/core/http/route-table.ts', 'the addresses of our own routes']])

const visit = (node, see) => {
  if (Array.isArray(node)) for (const each of node) visit(each, see)
  else if (node && typeof node === 'object') {
    if (typeof node.type === 'string') see(node)
    for (const each of Object.values(node)) visit(each, see)
  }
}

const readFiles = (root, folders) =>
  folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .sort()
      .map((name) => {
        const file = path.posix.join(folder, name.split(path.sep).join('/'))
        const text = readFileSync(path.join(root, file), 'utf8')
        return { file, text, tree: parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) }
      }),
  )

/** The text of a constant expression: strings, templates, sums, and constants of any file by their name. */
const createReader = (files) => {
  const constants = new Map()
  for (const { file, tree } of files)
    visit(tree, (node) => {
      if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || !node.init) return
      constants.set(`${file} ${node.id.name}`, node.init)
      constants.set(node.id.name, node.init)
    })
  const read = (node, file) => {
    if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
    if (node.type === 'Identifier') {
      const constant = constants.get(`${file} ${node.name}`) ?? constants.get(node.name)
      return constant && constant !== node ? read(constant, file) : undefined
    }
    if (node.type === 'BinaryExpression' && node.operator === '+')
      return joined([node.left, node.right], ['', '', ''], file)
    if (node.type === 'TemplateLiteral') return joined(node.expressions, textsOf(node, 'cooked'), file)
    if (node.type === 'TaggedTemplateExpression')
      return joined(node.quasi.expressions, textsOf(node.quasi, 'raw'), file)
    return undefined
  }
  const textsOf = ({ quasis }, kind) => quasis.map(({ value }) => value[kind])
  const joined = (nodes, texts, file) => {
    const values = nodes.map((node) => read(node, file))
    return values.includes(undefined) ? undefined : texts[0] + values.map((value, n) => value + texts[n + 1]).join('')
  }
  return read
}

/** Every regular expression literal, `RegExp` and `pattern` of a schema. `source` is undefined if it cannot be read. */
const findPatterns = (root, folders) => {
  const files = readFiles(root, folders)
  const read = createReader(files)
  const found = []
  for (const { file, text, tree } of files)
    visit(tree, (node) => {
      const add = (source, flags) =>
        found.push({ source, flags, file, line: text.slice(0, node.start).split('\n').length })
      if (node.type === 'Literal' && node.regex) add(node.regex.pattern, node.regex.flags)
      else if (/^(New|Call)Expression$/.test(node.type) && node.callee.name === 'RegExp' && !node.arguments[0]?.regex)
        add(
          node.arguments[0] && read(node.arguments[0], file),
          (node.arguments[1] && read(node.arguments[1], file)) ?? '',
        )
      else if (node.type === 'Property' && node.key.name === 'pattern' && !node.shorthand) {
        const source = read(node.value, file)
        if (source !== undefined) add(source, 'u')
      }
    })
  return found
}

const faultOf = async ({ source, flags, file }) => {
  if (source === undefined) return ALLOWED_EXPRESSIONS.has(file) ? undefined : 'is not constant'
  if (ALLOWED.has(source)) return undefined
  const result = await check(source, flags, LIMITS)
  if (result.status === 'safe') return undefined
  if (result.status === 'unknown') return `could not be checked (${result.error.kind})`
  return `is ${result.complexity.summary}, for example on ${result.attack.pattern}`
}

export const checkPatterns = async (root = ROOT, folders = FOLDERS) => {
  const problems = []
  const faults = new Map()
  const found = findPatterns(root, folders)
  const queue = found.values()
  const work = async () => {
    for (const pattern of queue) {
      const key = `/${pattern.source}/${pattern.flags}`
      if (!faults.has(key)) faults.set(key, faultOf(pattern))
      const fault = await faults.get(key)
      if (fault) problems.push(`${pattern.file}:${pattern.line}: ${key} ${fault}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return { checked: found.length, problems: problems.sort() }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { checked, problems } = await checkPatterns()
  for (const problem of problems) console.error(problem)
  if (problems.length > 0)
    console.error(`${problems.length} of ${checked} regular expressions may take more than linear time.`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
