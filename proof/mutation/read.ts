import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

interface Place {
  line: number
  column: number
}

/** What Stryker writes, as far as it is read. */
interface StrykerReport {
  files: Record<
    string,
    {
      source: string
      mutants: { status: string; mutatorName: string; replacement?: string; location: { start: Place; end: Place } }[]
    }
  >
}

/** A change of the code that no test has noticed. */
export interface Survivor {
  file: string
  line: number
  /** The line of the source. */
  text: string
  was: string
  is: string
}

export interface MutationResult {
  group: string
  files: string[]
  killed: number
  survivors: Survivor[]
  date: string
}

/** Found by a failed test, or because the tests came to no end. */
const KILLED = ['Killed', 'Timeout']
/** No test has run the code, or none has failed. */
const SURVIVED = ['Survived', 'NoCoverage']

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const textAt = (source: string, start: Place, end: Place) => {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  lines[lines.length - 1] = (lines.at(-1) as string).slice(0, end.column - 1)
  lines[0] = (lines[0] as string).slice(start.column - 1)
  return lines.join('\n')
}

/** Reads a report of Stryker, which is named after its group. Columns of its places begin at 1. */
export const readMutation = (file: string): MutationResult => {
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as StrykerReport
  const result: MutationResult = {
    group: path.basename(file, '.json').replaceAll('-', ' '),
    files: Object.keys(files).sort(),
    killed: 0,
    survivors: [],
    date: new Date().toISOString().slice(0, 10),
  }
  for (const [name, { source, mutants }] of Object.entries(files))
    for (const { status, replacement = '', location } of mutants) {
      if (KILLED.includes(status)) result.killed++
      const { start, end } = location
      if (SURVIVED.includes(status))
        result.survivors.push({
          file: name,
          line: start.line,
          text: oneLine(source.split('\n')[start.line - 1] as string),
          was: oneLine(textAt(source, start, end)),
          is: oneLine(replacement),
        })
    }
  return result
}

interface Equivalent extends Pick<Survivor, 'file' | 'was' | 'is'> {
  /** Part of the line, if the same change is made in several. */
  in?: string
  why: string
}

// The bundle is two folders below the root.
const EQUIVALENT = fileURLToPath(new URL('../../proof/mutation/equivalent.json', import.meta.url))

/** Why a change that no test has noticed changes nothing that can be noticed; undefined if that is not known. */
export const createReasons = () => {
  const known = JSON.parse(readFileSync(EQUIVALENT, 'utf8')) as Equivalent[]
  return ({ file, text, was, is }: Survivor) =>
    known.find((entry) => entry.file === file && entry.was === was && entry.is === is && text.includes(entry.in ?? ''))
      ?.why
}
