import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

export interface DemoCredentials {
  install_id: string
  client_id: string
  client_secret: string
}

const NAMES = ['install_id', 'client_id', 'client_secret'] as const

const fileIn = (dataDir: string) => path.join(dataDir, 'demo.json')

/** Undefined if the file is missing or damaged. */
export const readCredentials = async (dataDir: string): Promise<DemoCredentials | undefined> => {
  try {
    const found = JSON.parse(await readFile(fileIn(dataDir), 'utf8'))
    return NAMES.every((name) => typeof found?.[name] === 'string') ? found : undefined
  } catch {
    return undefined
  }
}

/** Writes the file atomically, readable by its owner only. It can be sent to get-token as it is. */
export const writeCredentials = async (dataDir: string, credentials: DemoCredentials) => {
  const file = fileIn(dataDir)
  const text = `${JSON.stringify(credentials, [...NAMES], 2)}\n`
  if (text === (await readFile(file, 'utf8').catch(() => ''))) return
  const draft = `${file}.${process.pid}`
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeFile(draft, text, { mode: 0o600, flush: true })
  await rename(draft, file)
}
