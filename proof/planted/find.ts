import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runCleanups } from '../../tests/support/cleanup.ts'
import { check } from '../checker/check.ts'
import { runHistory } from '../history/run.ts'
import { startWorld } from '../history/world.ts'
import { BUGS, type Bug } from './bugs.ts'

const run = promisify(execFile)
// The bundle is two folders below the root.
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const OPS = 700
const MAX_SEEDS = 4

export interface Planted {
  name: string
  what: string
  /** Reported under one of the names that say what it is. */
  isNamed: boolean
  names: string[]
  seed: number
  seconds: number
  error?: string
}

/** Builds the service with the bug, in a folder of its own. */
const build = async ({ name, edits }: Bug) => {
  const folder = path.join(ROOT, `dist.planted-${name}-${process.pid}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const part of ['src', 'scripts', 'package.json'])
    await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true })
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  for (const { file, find, replace } of edits) {
    const place = path.join(folder, 'src', file)
    const text = await readFile(place, 'utf8')
    if (!text.includes(find)) throw new Error(`${name}: ${file} has changed and no longer contains: ${find}`)
    await writeFile(
      place,
      text.replace(find, () => replace),
    )
  }
  await run(process.execPath, [path.join(folder, 'scripts/bundle.mjs'), path.join(folder, 'dist')], { cwd: folder })
  return folder
}

const look = async (bug: Bug, firstSeed: number, ops: number): Promise<Planted> => {
  const began = performance.now()
  const folder = await build(bug)
  const names = new Set<string>()
  let seed = firstSeed
  try {
    const world = await startWorld({ nodes: 2, dist: path.join(folder, 'dist') })
    for (; seed < firstSeed + MAX_SEEDS; seed++) {
      const history = await runHistory(world, { seed, ops, faults: bug.faults ?? [], patienceMs: 8_000 })
      for (const { name, detail } of check(history)) {
        // What does not name the bug may be another one.
        if (!names.has(name) && !bug.found.includes(name)) console.log(`  seed ${seed}, ${name}: ${detail}`)
        names.add(name)
      }
      if (bug.found.some((name) => names.has(name))) break
    }
  } finally {
    await runCleanups()
    await rm(folder, { recursive: true, force: true })
  }
  const seconds = (performance.now() - began) / 1000
  return {
    name: bug.name,
    what: bug.what,
    isNamed: bug.found.some((name) => names.has(name)),
    names: [...names],
    seed,
    seconds,
  }
}

const choose = (which: string): Bug[] => {
  if (which === 'all') return BUGS
  if (/^\d+$/.test(which)) return BUGS.slice(0, Number(which))
  return which.split(',').map((name) => {
    const bug = BUGS.find((bug) => bug.name === name)
    if (!bug) throw new Error(`There is no planted bug ${name}.`)
    return bug
  })
}

/** Plants one bug after the other and says which were found, and under which name. */
export const findPlanted = async (which: string, seed: number, ops = OPS): Promise<Planted[]> => {
  const results: Planted[] = []
  for (const bug of choose(which)) {
    const result = await look(bug, seed, ops).catch(
      (error): Planted => ({
        name: bug.name,
        what: bug.what,
        isNamed: false,
        names: [],
        seed,
        seconds: 0,
        error: String(error).slice(0, 500),
      }),
    )
    results.push(result)
    const { isNamed, names, seconds, error } = result
    console.log(
      `${isNamed ? 'found' : 'NOT FOUND'}  ${bug.name}  seed ${result.seed}, ${seconds.toFixed(0)} s: ${error ?? names.join('; ')}`,
    )
  }
  return results
}
