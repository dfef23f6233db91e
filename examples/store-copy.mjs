// Keeps a copy of a store in a folder, one JSON file for each resource: COPY/product/ID.json. It takes a snapshot, then
// follows the feed. Stop it whenever you like: it goes on where it was.
//   node examples/store-copy.mjs copy
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ApiError } from '../client/dist/index.js'
import { connect } from './connect.mjs'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node examples/store-copy.mjs FOLDER')

const client = connect()
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())

/** Renamed when it is complete, so that a crash leaves the old file or the new one. @param {string} file @param {string} text */
const write = async (file, text) => {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

/** @param {string} root @param {string} kind @param {string} id */
const fileOf = (root, kind, id) => path.join(root, kind, `${id}.json`)
const cursorFile = path.join(folder, 'cursor')

/** Into a folder of its own, which takes the place of the old copy once it is complete. */
const takeSnapshot = async () => {
  const draft = `${folder}.new`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  for await (const line of client.events.snapshot({}, { signal: stop.signal })) {
    if ('data' in line) await write(fileOf(draft, line.type, line.data.id), JSON.stringify(line.data))
    else {
      await write(path.join(draft, 'cursor'), line.cursor)
      console.log('snapshot:', JSON.stringify(line.counts))
    }
  }
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
}

const follow = async () => {
  const cursor = await readFile(cursorFile, 'utf8')
  for await (const event of client.events.stream({ cursor }, { signal: stop.signal })) {
    const { kind, id } = event.resource
    // What was deleted, or is gone by now, has nothing but its id.
    const isGone = Object.keys(event.data).length === 1
    if (isGone) await rm(fileOf(folder, kind, id), { force: true })
    else await write(fileOf(folder, kind, id), JSON.stringify(event.data))
    await write(cursorFile, event.cursor)
    console.log(event.type, id, ...event.changed)
  }
}

const hasCopy = () =>
  readFile(cursorFile).then(
    () => true,
    () => false,
  )

while (!stop.signal.aborted) {
  try {
    if (!(await hasCopy())) await takeSnapshot()
    await follow()
  } catch (error) {
    if (stop.signal.aborted) break
    // Away for longer than events are kept, or the store was restored from a backup: start over.
    if (!(error instanceof ApiError && error.code === 'cursor_expired')) throw error
    await takeSnapshot()
  }
}
