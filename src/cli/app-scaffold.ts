import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { slugify } from '../core/input/normalize-text.ts'
import { OperatorError } from '../errors.ts'
import { type Command, type Input, UsageError } from './arguments.ts'

const TEMPLATE = new URL('../../examples/starter/', import.meta.url)
const CLIENT = new URL('../../client/dist/', import.meta.url)
/** What the template calls things, and what is put in their place. */
const [TEMPLATE_NAME, TEMPLATE_SITE, TEMPLATE_CLIENT] = ['Order log', 'http://127.0.0.1:4000', '../../client/dist/']
const CLIENT_FOLDER = 'storefront-apps-client'
const DEFAULT_PORT = '4000'

/** The name stands in pages and in JSON, so it has no signs that mean something there. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} -]{1,49}$/u

const nameOf = (input: Input, folder: string) => {
  const name =
    input.optional('name') ??
    path
      .basename(folder)
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}\p{M}]/gu, ' ')
      .trim()
  if (NAME.test(name)) return name
  throw new UsageError('--name must have 2 to 50 letters, digits, spaces and hyphens.')
}

const portOf = (input: Input) => {
  const port = input.optional('port') ?? DEFAULT_PORT
  if (/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536) return port
  throw new UsageError('--port must be a number from 1 to 65535.')
}

/** npm takes ASCII only. */
const packageNameOf = (name: string) =>
  slugify(name)
    .replace(/[^a-z0-9-]/g, '')
    .replace(/^-+/, '') || 'app'

/** A path as a word of a command for the shell. */
const shellWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const requireEmpty = async (folder: string) => {
  const names = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') throw new OperatorError(`${folder} is not a folder: nothing was written.`)
    throw error
  })
  if (names.length > 0) throw new OperatorError(`${folder} is not empty: nothing was written.`)
}

const copyClient = async (folder: string) => {
  const names = (await readdir(CLIENT)).filter((name) => name.endsWith('.js') || name.endsWith('.d.ts'))
  await mkdir(path.join(folder, CLIENT_FOLDER), { recursive: true })
  for (const name of names) {
    const text = await readFile(new URL(name, CLIENT), 'utf8')
    await writeFile(path.join(folder, CLIENT_FOLDER, name), text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'))
  }
}

const scaffold = async (input: Input) => {
  const folder = path.resolve(input.text('DIR'))
  const [name, port] = [nameOf(input, folder), portOf(input)]
  if (!existsSync(TEMPLATE) || !existsSync(CLIENT))
    throw new OperatorError('The template is a part of the repository: run this in a checkout, after npm run build.')
  await requireEmpty(folder)
  await mkdir(folder, { recursive: true })
  const site = `http://127.0.0.1:${port}`
  const [manifest, env] = ['manifest.json', '.env'].map((file) => shellWord(path.join(folder, file))) as [
    string,
    string,
  ]
  const replaced: [string, string][] = [
    [TEMPLATE_SITE, site],
    [TEMPLATE_NAME, name],
    [TEMPLATE_CLIENT, `./${CLIENT_FOLDER}/`],
    ['"starter"', JSON.stringify(packageNameOf(name))],
    ['{MANIFEST}', manifest],
    ['{ENV}', env],
  ]
  for (const file of await readdir(TEMPLATE)) {
    const text = await readFile(new URL(file, TEMPLATE), 'utf8')
    await writeFile(
      path.join(folder, file),
      replaced.reduce((text, [from, to]) => text.replaceAll(from, () => to), text),
    )
  }
  await writeFile(path.join(folder, '.gitignore'), '.env\ninstallations.json\n')
  await copyClient(folder)
  return {
    value: { folder, name, site },
    note: `Register it:  npx storefront-apps app create --manifest ${manifest} --listed --env ${env}\nStart it:     cd ${shellWord(folder)} && npm start`,
  }
}

export const scaffoldCommand: Command = {
  name: 'app scaffold',
  summary: 'Writes a small app that works: consent, a page in the console, webhooks, and a test.',
  details: 'It runs on Node alone. README.md in it says how to register, start and install it.',
  operands: [{ name: 'DIR', about: 'A new or empty folder.' }],
  options: {
    name: { value: 'NAME', about: 'Name of the app. Default: that of the folder.' },
    port: { value: 'PORT', about: `Port of the app on this machine. Default: ${DEFAULT_PORT}.` },
  },
  run: scaffold,
}
