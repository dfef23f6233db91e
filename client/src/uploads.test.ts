import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startClientFixture } from '../../tests/support/client-fixture.ts'
import { eventually } from '../../tests/support/eventually.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { picture } from '../../tests/support/uploads.ts'
import { ConnectionError, ValidationError } from './errors.ts'
import type { Progress } from './multipart-body.ts'
import { fileFromPath, saveTo } from './node.ts'

const bytesOf = async (stream: ReadableStream<Uint8Array>) => Buffer.from(await new Response(stream).arrayBuffer())

const inPieces = (bytes: Uint8Array, size = 10_000) => {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

test.concurrent('a file is uploaded from disk with progress and downloads byte for byte', async () => {
  const { client } = await startClientFixture()
  const folder = await temporaryFolder()
  const bytes = randomBytes(3_000_000)
  await writeFile(path.join(folder, 'notes "1".bin'), bytes)
  const progress: Progress[] = []
  const file = await client.files.upload(
    await fileFromPath(path.join(folder, 'notes "1".bin')),
    { alt: 'Notes' },
    { onProgress: (step) => progress.push(step) },
  )
  expect(file).toMatchObject({ size: bytes.length, alt: 'Notes' })
  expect(progress.length).toBeGreaterThan(10)
  expect(progress.map(({ sent }) => sent)).toEqual(progress.map(({ sent }) => sent).toSorted((a, b) => a - b))
  // The form around the file counts too, so the last progress equals the total.
  expect(progress.at(-1)?.sent).toBe(progress.at(-1)?.total)
  expect(progress.at(-1)?.sent).toBeGreaterThan(bytes.length)

  await saveTo(path.join(folder, 'back.bin'), await client.files.download(file))
  expect((await readFile(path.join(folder, 'back.bin'))).equals(bytes)).toBe(true)
})

test.concurrent('a Blob, bytes, a stream and a source can all be uploaded', async () => {
  const { client } = await startClientFixture()
  const bytes = await picture('png', { colour: '#aa2211' })
  const source = { name: 'source.png', type: 'image/png', stream: () => inPieces(bytes, 100) }
  const uploads = [
    new File([bytes], 'ملف.png', { type: 'image/png' }),
    new Uint8Array(bytes),
    inPieces(bytes, 100),
    source,
  ]
  const totals: unknown[] = []
  for (const upload of uploads) {
    const file = await client.files.upload(upload, {}, { onProgress: ({ total }) => totals.push(total) })
    expect(file).toMatchObject({ size: bytes.length, mime_type: 'image/png' })
    expect((await bytesOf(await client.files.download(file))).equals(bytes)).toBe(true)
  }
  expect(totals).toContain(undefined)
  const names = (await client.files.list({ mime_type: ['image/*'] })).files.map(({ name }) => name)
  expect(names.toSorted()).toEqual(['file', 'file', 'source.png', 'ملف.png'])
})

test.concurrent('a product accepts images and its digital file, a review accepts images', async () => {
  const { client } = await startClientFixture()
  const images = [new Blob([await picture('png')]), await fileOf('jpeg')]
  const product = await client.products.create(
    { title: 'Poster', is_digital: true, default: { price: 5 } },
    { images, files: [new Blob(['%PDF-1.4\n%%EOF\n'], { type: 'application/pdf' })] },
  )
  expect(product.images.map(({ mime_type }) => mime_type)).toEqual(['image/png', 'image/jpeg'])
  expect(product.default?.file).not.toBeNull()
  const changed = await client.products.update(product.id, { title: 'Print' }, { images: [await fileOf('webp')] })
  expect(changed).toMatchObject({ title: 'Print', images: { length: 3 } })
  const review = await client.reviews.create(
    { product_id: product.id, content: 'Lovely', rating: 4, reviewer_name: 'Sara' },
    { images: [await fileOf('gif')] },
  )
  expect(review.images).toHaveLength(1)
  const [picked] = review.images
  await client.files.unlink(picked?.id ?? '', 'review', review.id)
  expect((await client.reviews.get(review.id)).images).toEqual([])
  await client.files.delete(picked?.id ?? '')
  expect((await client.files.list()).files.map(({ id }) => id)).not.toContain(picked?.id)

  const refused = client.products.create({ title: 'Text' }, { images: [new Blob(['no picture'])] })
  await expect(refused).rejects.toThrow(ValidationError)
  await expect(refused).rejects.toMatchObject({ fields: { 'images.0': [expect.any(String)] } })
})

const fileOf = async (format: 'jpeg' | 'webp' | 'gif') => new File([await picture(format)], `picture.${format}`)

test.concurrent('an upload whose reply was lost is retried and stored once', async () => {
  const { client, proxy } = await startClientFixture({
    plan: ({ path }, count) => (path.endsWith('/file') && count === 1 ? 'cut after' : undefined),
  })
  const sent: number[] = []
  const bytes = randomBytes(300_000)
  await client.files.upload(new Blob([bytes]), {}, { onProgress: (progress) => sent.push(progress.sent) })
  expect(proxy.count('POST', '/file')).toBe(2)
  // The retry sends the file from its start.
  expect(sent.filter((bytes) => bytes < 300)).toHaveLength(2)
  expect((await client.files.list()).files).toHaveLength(1)
})

test.concurrent('an upload from a stream is not retried, because the stream can be read only once', async () => {
  const { client, proxy } = await startClientFixture({
    plan: ({ path }) => (path.endsWith('/file') ? 'cut after' : undefined),
  })
  await expect(client.files.upload(inPieces(randomBytes(50_000)))).rejects.toThrow(ConnectionError)
  expect(proxy.count('POST', '/file')).toBe(1)
})

test.concurrent('an unreadable file is a clear error and is not retried', async () => {
  const { client, proxy } = await startClientFixture()
  const folder = await temporaryFolder()
  const file = path.join(folder, 'gone.bin')
  await writeFile(file, randomBytes(1000))
  const upload = await fileFromPath(file)
  await rm(file)
  await expect(client.files.upload(upload)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(proxy.count('POST', '/file')).toBeLessThan(2)
  expect((await client.files.list()).files).toEqual([])
})

test.concurrent('an upload may exceed the timeout while it makes progress, and stops when it is aborted', async () => {
  const { connect, proxy } = await startClientFixture()
  const client = connect({ timeout: 6000, retries: 0 })
  let closed = false
  const slowly = (pause: number) =>
    (async function* () {
      try {
        for (let n = 0; n < 8; n++) {
          await new Promise((resolve) => setTimeout(resolve, pause))
          yield randomBytes(1000)
        }
      } finally {
        closed = true
      }
    })()
  expect(await client.files.upload(slowly(900))).toMatchObject({ size: 8000 })
  closed = false
  await expect(client.files.upload(slowly(200), {}, { signal: AbortSignal.timeout(500) })).rejects.toThrow(/timeout/i)
  await eventually(async () => expect(closed).toBe(true))
  expect(proxy.count('POST', '/file')).toBe(2)
  expect((await client.files.list()).files).toHaveLength(1)
})
