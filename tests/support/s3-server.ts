import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

/**
 * A real S3 service that checks signatures: OpenStack Swift from Debian's packages (swift-proxy, swift-account,
 * swift-container, swift-object), run from a temporary folder.
 */

const PYTHON = '/usr/bin/python3'
const SCRIPT = fileURLToPath(new URL('./swift_s3.py', import.meta.url))
const KEYS = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }

export interface S3Server {
  /** Settings that make the service use a bucket here. */
  settings: Record<string, string>
  client: S3Client
  bucket: string
  stop(): Promise<void>
}

export const isS3ServerInstalled = () =>
  Promise.all(['proxy', 'account', 'container', 'object'].map((name) => access(`/usr/bin/swift-${name}-server`))).then(
    () => true,
    () => false,
  )

const startSwift = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-s3-'))
  const swift = spawn(PYTHON, [SCRIPT, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(swift, 'exit')
  const stop = async () => {
    swift.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const [line] = await Promise.race([once(swift.stdout, 'data'), ended])
  const port = Number(line)
  if (port > 0) return { port, stop }
  await stop()
  throw new Error('Swift did not start.')
}

/** Retries until every part of Swift is listening. */
const createBucket = async (client: S3Client, bucket: string) => {
  const until = Date.now() + 20_000
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'ready', Body: 'yes' }))
      await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'ready' }))
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await sleep(100)
    }
  }
}

export const startS3Server = async (): Promise<S3Server> => {
  const { port, stop } = await startSwift()
  const endpoint = `http://127.0.0.1:${port}`
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: KEYS,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const bucket = 'storefront'
  try {
    await createBucket(client, bucket)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    settings: {
      BLOBS: `s3://${bucket}/some/prefix`,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: KEYS.accessKeyId,
      S3_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    },
    client,
    bucket,
    stop: async () => {
      client.destroy()
      await stop()
    },
  }
}
