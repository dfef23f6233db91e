import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../../tests/support/api.ts'
import { addProduct } from '../../../../tests/support/products.ts'
import { isS3ServerInstalled, type S3Server, startS3Server } from '../../../../tests/support/s3-server.ts'
import { form, picture, upload } from '../../../../tests/support/uploads.ts'
import { readConfig } from '../../../config/config.ts'
import { releaseClaims, removeUnclaimedBlobs } from '../../../resources/files/unclaimed-blobs.ts'
import type { StoreId } from '../store-id.ts'
import { BlobNotFound, type Blobs, blobKey, thumbnailKey } from './blobs.ts'
import { openBlobs } from './open-blobs.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Tests that every blob storage must pass, alone and through the API. `keys` lists its contents. */
const testBlobStorage = (settings: () => Record<string, string>, keys: (api: TestApi) => Promise<string[]>) => {
  let folder: string
  let blobs: Blobs
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'storefront-blobs-'))
    blobs = await openBlobs(readConfig({ DATA_DIR: folder, ...settings() }))
  })
  afterAll(async () => {
    blobs.close()
    await rm(folder, { recursive: true, force: true })
  })

  const place = async (bytes: Buffer) => {
    const file = path.join(blobs.incoming, randomUUID())
    await writeFile(file, bytes)
    const key = blobKey(randomUUID() as string as StoreId, sha256(bytes))
    await blobs.place(key, file)
    return key
  }
  const read = async (key: string, range?: { first: number; last: number }) =>
    Buffer.concat((await (await blobs.open(key, range)).toArray()) as Buffer[])
  const startApi = () => startTestApi(settings())

  test('stored bytes read back unchanged, whole and by range', async () => {
    const bytes = randomBytes(12 * 1024 * 1024)
    const key = await place(bytes)
    expect(await blobs.has(key)).toBe(true)
    expect((await read(key)).equals(bytes)).toBe(true)
    expect((await read(key, { first: 7_000_000, last: 7_000_009 })).equals(bytes.subarray(7_000_000, 7_000_010))).toBe(
      true,
    )
  })

  test('an empty file can be stored, and the same bytes can be stored twice', async () => {
    expect(await read(await place(Buffer.alloc(0)))).toHaveLength(0)
    const bytes = randomBytes(100)
    const key = await place(bytes)
    const file = path.join(blobs.incoming, randomUUID())
    await writeFile(file, bytes)
    await blobs.place(key, file)
    expect(await read(key)).toEqual(bytes)
  })

  test('a removed blob is gone, and removing it again does no harm', async () => {
    const key = await place(randomBytes(10))
    await blobs.remove([key])
    await blobs.remove([key])
    expect(await blobs.has(key)).toBe(false)
    await expect(blobs.open(key)).rejects.toThrow(BlobNotFound)
  })

  test('an upload is served whole and by range, and a deletion removes every byte', async () => {
    const api = await startApi()
    const bytes = await picture('jpeg', { width: 700, height: 500 })
    const file = await upload(api, { file: bytes })
    const { id: product_id } = await addProduct(api)
    const hash = sha256(bytes)
    const own = [blobKey(api.store.id, hash), thumbnailKey(api.store.id, hash)]
    expect(await keys(api)).toEqual(own)
    expect(Buffer.from(await (await fetch(file.url)).arrayBuffer()).equals(bytes)).toBe(true)
    expect((await fetch(file.permanent_url)).status).toBe(401)
    expect((await fetch(file.thumbnail)).status).toBe(200)
    expect((await fetch(`${file.permanent_url}/thumbnail`)).status).toBe(401)
    await api.db
      .insertInto('file_link')
      .values({ store_id: api.store.id, file_id: file.id, role: 'product_images', product_id })
      .execute()
    const part = await fetch(file.permanent_url, { headers: { range: 'bytes=2-5' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(2, 6))
    expect((await fetch(`${file.permanent_url}/thumbnail`)).status).toBe(200)
    expect((await api.as('file:delete').post(`/file/${file.id}`)).status).toBe(200)
    expect(await keys(api)).toEqual([])
  })

  test('a refused upload leaves no byte', async () => {
    const api = await startApi()
    const fields = { file: await picture(), fileable_type: 'product', fileable_id: randomUUID() }
    expect(await api.as('file:upload').post('/file', form(fields))).toBeRefused(422, 'fileable_id')
    expect(await keys(api)).toEqual([])
    expect(await readdir(api.services.blobs.incoming)).toEqual([])
  })

  test('blobs orphaned by a crash are deleted, and none that is in use', async () => {
    const api = await startApi()
    const kept = await upload(api, { file: Buffer.from('in use') })
    const lost = Buffer.from('the process died before the row was written')
    const temporary = path.join(api.services.blobs.incoming, 'left.part')
    await writeFile(temporary, lost)
    await api.db
      .insertInto('blob')
      .values({ store_id: api.store.id, sha256: Buffer.from(sha256(lost), 'hex'), size: lost.length, mime_type: 'x/y' })
      .execute()
    await sql`
      insert into blob_claim (store_id, sha256, created_at)
      select store_id, sha256, now() - interval '2 days' from blob where store_id = ${api.store.id}`.execute(api.db)
    await api.services.blobs.place(blobKey(api.store.id, sha256(lost)), temporary)
    await writeFile(temporary, lost)
    await utimes(temporary, 0, 0)
    const arriving = path.join(api.services.blobs.incoming, 'arriving.part')
    await writeFile(arriving, 'half')

    await removeUnclaimedBlobs(api.services)
    expect(await keys(api)).toEqual([blobKey(api.store.id, sha256(Buffer.from('in use')))])
    expect((await fetch(kept.url)).status).toBe(200)
    expect(await readdir(api.services.blobs.incoming)).toEqual(['arriving.part'])
    await rm(arriving)
    const rows = await api.db.selectFrom('blob').select('size').where('store_id', '=', api.store.id).execute()
    expect(rows).toEqual([{ size: 6 }])
  })

  test('a failed removal is retried later', async () => {
    const api = await startApi()
    await upload(api, { file: Buffer.from('stubborn') })
    const [claim] = await api.db
      .with('gone', (db) =>
        db.deleteFrom('file').where('store_id', '=', api.store.id).returning(['store_id', 'sha256']),
      )
      .insertInto('blob_claim')
      .columns(['store_id', 'sha256'])
      .expression((eb) => eb.selectFrom('gone').select(['gone.store_id', 'gone.sha256']))
      .returning('id')
      .execute()
    const away = { ...api.services.blobs, remove: () => Promise.reject(new Error('out of reach')) }
    const settled = releaseClaims({ db: api.db, blobs: away }, api.store.id, [claim?.id as string])
    await expect(settled).rejects.toThrow('out of reach')
    expect(await keys(api)).toHaveLength(1)
    await removeUnclaimedBlobs(api.services, 0)
    expect(await keys(api)).toEqual([])
  })
}

describe('on disk', () => {
  testBlobStorage(
    () => ({}),
    async (api) => {
      const root = path.join(api.config.DATA_DIR, 'blobs', api.store.id)
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
      return files.map((file) => path.relative(path.join(api.config.DATA_DIR, 'blobs'), file)).sort()
    },
  )
})

const installed = await isS3ServerInstalled()
if (!installed) console.warn('Swift is not installed (swift-proxy and the like of Debian): S3 is not tested.')

describe.skipIf(!installed)('in a bucket', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server()
    return () => server.stop()
  })

  const listed = async (prefix: string) => {
    const list = new ListObjectsV2Command({ Bucket: server.bucket, Prefix: prefix })
    return ((await server.client.send(list)).Contents ?? []).map(({ Key = '' }) => Key).sort()
  }

  testBlobStorage(
    () => server.settings,
    async (api) => (await listed(`some/prefix/${api.store.id}`)).map((key) => key.replace('some/prefix/', '')),
  )

  test('a wrong secret is rejected', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'storefront-blobs-'))
    const blobs = await openBlobs(readConfig({ DATA_DIR: folder, ...server.settings, S3_SECRET_ACCESS_KEY: 'guess' }))
    await expect(blobs.has('x')).rejects.toThrow()
    blobs.close()
    await rm(folder, { recursive: true })
  })

  test('large files are uploaded in parts, and no part stays behind', async () => {
    const api = await startTestApi(server.settings)
    const bytes = randomBytes(17 * 1024 * 1024)
    const file = await upload(api, { file: bytes })
    expect(sha256(Buffer.from(await (await fetch(file.url)).arrayBuffer()))).toBe(sha256(bytes))
    const open = await server.client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }))
    expect(open.Uploads ?? []).toEqual([])
    expect(await readdir(api.services.blobs.incoming)).toEqual([])
  })
})

test('other accounts of the machine cannot read files, even if the folder was world-readable', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-blobs-'))
  const root = path.join(folder, 'blobs')
  await mkdir(path.join(root, 'incoming'), { recursive: true })
  for (const open of [folder, root, path.join(root, 'incoming')]) await chmod(open, 0o755)
  const blobs = await openBlobs(readConfig({ DATA_DIR: folder }))
  const file = path.join(blobs.incoming, 'a.part')
  await writeFile(file, 'abc', { mode: 0o644 })
  await blobs.place('store/aa/aabb', file)
  const mode = async (name: string) => ((await stat(path.join(root, name))).mode & 0o777).toString(8)
  expect(await Promise.all(['.', 'store', 'store/aa', 'store/aa/aabb'].map(mode))).toEqual(['700', '700', '700', '600'])
  await rm(folder, { recursive: true })
})

test('on disk, blobs move from the incoming folder to their key', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-blobs-'))
  const blobs = await openBlobs(readConfig({ DATA_DIR: folder }))
  const file = path.join(blobs.incoming, 'a.part')
  await writeFile(file, 'abc')
  await blobs.place('store/aa/aabb', file)
  expect(await readdir(blobs.incoming)).toEqual([])
  expect(await readFile(path.join(folder, 'blobs/store/aa/aabb'), 'utf8')).toBe('abc')
  await rm(folder, { recursive: true })
})
