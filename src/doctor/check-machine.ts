import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Config, listeningAddress } from '../config/config.ts'
import type { Blobs } from '../core/storage/blobs/blobs.ts'
import { openBlobs } from '../core/storage/blobs/open-blobs.ts'
import type { Finding } from './finding.ts'

const GIGABYTE = 1024 ** 3
const ANSWER_MS = 3_000
const BLOB_MS = 15_000

const nearestFolder = async (folder: string): Promise<string> => {
  const there = await access(folder).then(
    () => true,
    () => false,
  )
  return there || path.dirname(folder) === folder ? folder : nearestFolder(path.dirname(folder))
}

export const checkDisk = async ({ DATA_DIR }: Config): Promise<Finding> => {
  const check = 'disk'
  const folder = await nearestFolder(DATA_DIR)
  try {
    await access(folder, constants.W_OK | constants.X_OK)
  } catch {
    const fix = 'Give this user the folder, or name another one in DATA_DIR.'
    return { check, state: 'fault', found: `${folder} cannot be written to.`, fix }
  }
  const { bavail, bsize } = await statfs(folder)
  const free = (bavail * bsize) / GIGABYTE
  const found = `${free.toFixed(1)} GB free for ${DATA_DIR}.`
  const fix = 'Free some space, or move DATA_DIR to a larger disk.'
  if (free < 0.1) return { check, state: 'fault', found, fix }
  return free < 1 ? { check, state: 'note', found, fix } : { check, state: 'ok', found }
}

/** Writes, reads back and deletes a file. */
const roundTrip = async (blobs: Blobs) => {
  const key = `.doctor-${randomUUID()}`
  const draft = path.join(blobs.incoming, key)
  await writeFile(draft, key)
  await blobs.place(key, draft)
  const bytes = Buffer.concat((await (await blobs.open(key)).toArray()) as Buffer[])
  await blobs.remove([key])
  if (bytes.toString() !== key) throw new Error('The content read back is not what was written.')
  if (await blobs.has(key)) throw new Error('The deleted file still exists.')
}

const within = <T>(milliseconds: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${milliseconds / 1000} s`)), milliseconds)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export const checkBlobs = async (config: Config): Promise<Finding> => {
  const check = 'files'
  const onDisk = config.BLOBS === 'disk'
  const where = config.BLOBS === 'disk' ? path.join(config.DATA_DIR, 'blobs') : `bucket ${config.BLOBS.bucket}`
  try {
    const blobs = await openBlobs(config)
    await within(BLOB_MS, roundTrip(blobs)).finally(() => blobs.close())
    return { check, state: 'ok', found: `Written, read back and removed: ${where}.` }
  } catch (error) {
    const { message, name } = error as Error
    const fix = onDisk
      ? 'Give this user the folder, or name another one in DATA_DIR.'
      : 'Check BLOBS, S3_ENDPOINT, S3_REGION, the access key and its right to read, write and delete in the bucket.'
    return { check, state: 'fault', found: `${where}: ${message || name}`, fix }
  }
}

type Answer = { status: number; text: string } | undefined

const ask = (address: string): Promise<Answer> =>
  fetch(address, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => undefined)

const isAlive = (answer: Answer) => answer?.status === 200 && answer.text.includes('"alive"')

/** Checks the service itself, and the public address in front of it if there is one. */
export const checkAddress = async (config: Config): Promise<Finding[]> => {
  const check = 'address'
  if (config.PORT === 0)
    return [{ check, state: 'note', found: 'PORT is 0 (any free port), so the address is not known.' }]
  const local = listeningAddress(config)
  const answer = await ask(`${local}/healthz`)
  if (!answer)
    return [
      { check, state: 'note', found: `Nothing answers at ${local}: the service is not running.`, fix: 'npm start' },
    ]
  if (!isAlive(answer))
    return [
      {
        ...{ check, state: 'fault', found: `Another program answers at ${local}.` },
        fix: 'Stop that program, or choose another PORT.',
      },
    ]
  const ready = await ask(`${local}/readyz`)
  const findings: Finding[] = [
    ready?.status === 200
      ? { check, state: 'ok', found: `Alive and ready at ${local}.` }
      : {
          ...{ check, state: 'fault', found: `Alive at ${local}, but not ready: ${ready?.text ?? 'no response'}` },
          fix: 'Check the database findings and the log of the service.',
        },
  ]
  if (config.origin !== local) findings.push(await checkPublicAddress(config.origin))
  return findings
}

const checkPublicAddress = async (origin: string): Promise<Finding> =>
  isAlive(await ask(`${origin}/healthz`))
    ? { check: 'address', state: 'ok', found: `Reached through ${origin}.` }
    : {
        ...{ check: 'address', state: 'fault', found: `The service runs, but ${origin} does not reach it.` },
        fix: 'Check BASE_URL, DNS, and the target of the proxy.',
      }
