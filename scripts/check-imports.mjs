// Checks how files and folders depend on each other, types and dynamic imports included: no cycles of files in src/ and
// console/src/, none of folders in src/, and no resource in core/.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
/** Its folders may import each other: the palette looks for orders, and pages show each other's dialogs. */
const CONSOLE = fileURLToPath(new URL('../console/src', import.meta.url))

/** Plumbing, which knows no resource by name. */
const CORE = 'core'
/** What it may import: itself, as long as there is no cycle, and what everything else is built on. */
const BELOW = ['config', 'errors.ts', CORE]
/** app.ts assembles the application and server/ starts it: one unit. */
const UNITS = { 'app.ts': 'server' }

const IMPORT =
  /^\s*(?:import|export)\b[^'"]*?\bfrom\s+'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)|^\s*import\s+'(\.[^']+)'/gm

/** All files that match a pattern: the console collects what its pages declare. */
const GLOB = /\bimport\.meta\.glob\b[^(]*\(\s*'(\.[^']+)'/g

/** The folder of a file, or the file itself if it is directly in src/. */
const unitOf = (file) => {
  const folder = path.posix.dirname(file)
  return folder === '.' ? (UNITS[file] ?? file) : folder
}

const isWithin = (unit, folder) => unit === folder || unit.startsWith(`${folder}/`)

const matchesGlob = (file, pattern) => {
  const parts = pattern.split('/')
  const names = file.split('/')
  return names.length === parts.length && parts.every((part, n) => part === '*' || part === names[n])
}

/** Every import of the files in a folder. */
const readImports = (root) => {
  const files = readdirSync(root, { recursive: true })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .sort()
  return files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    const at = (target) => path.posix.join(path.posix.dirname(file), target)
    const named = [...text.matchAll(IMPORT)].map((match) => at(match[1] ?? match[2] ?? match[3]))
    const matched = [...text.matchAll(GLOB)].flatMap(([, pattern]) =>
      files.filter((name) => matchesGlob(name, at(pattern))),
    )
    return [...named, ...matched].map((target) => ({ file, target }))
  })
}

/** Finds groups of files or folders that import each other, by Tarjan's algorithm. */
const findCycles = (edges) => {
  const next = new Map()
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to))
  const state = new Map()
  const stack = []
  const cycles = []
  const visit = (unit) => {
    const own = { index: state.size, low: state.size, open: true }
    state.set(unit, own)
    stack.push(unit)
    for (const other of next.get(unit) ?? []) {
      const known = state.get(other) ?? visit(other)
      if (known.open) own.low = Math.min(own.low, known.low)
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(unit))
      for (const member of group) state.get(member).open = false
      if (group.length > 1) cycles.push(group.sort())
    }
    return own
  }
  for (const unit of next.keys()) if (!state.has(unit)) visit(unit)
  return cycles
}

export const checkFiles = (root) =>
  findCycles(readImports(root).map(({ file, target }) => ({ from: file, to: target }))).map(
    (group) => `Files that import each other: ${group.join(', ')}`,
  )

export const checkImports = (root) => {
  const edges = readImports(root)
    .map(({ file, target }) => ({ file, target, from: unitOf(file), to: unitOf(target) }))
    .filter(({ from, to }) => from !== to)
  const problems = []
  for (const group of findCycles(edges)) {
    problems.push(`Folders that import each other: ${group.join(', ')}`)
    for (const { file, target, from, to } of edges)
      if (group.includes(from) && group.includes(to)) problems.push(`  ${file} -> ${target}`)
  }
  problems.push(...checkFiles(root))
  for (const { file, target, from, to } of edges) {
    if (isWithin(from, CORE) && !BELOW.some((folder) => isWithin(to, folder)))
      problems.push(`${CORE}/ must not import a resource: ${file} -> ${target}`)
  }
  return problems
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = [...checkImports(SRC), ...checkFiles(CONSOLE)]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
