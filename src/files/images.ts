import { open, rm, writeFile } from 'node:fs/promises'
import type { Metadata, SharpOptions } from 'sharp'
import { ApiError } from '../errors.ts'
import { createFairQueue, QueueFullError } from '../storage/fair-queue.ts'
import { detectPolyglot } from './polyglots.ts'

/** What a picture may ask for. Phones take 50 million pixels; a decoder bomb asks for a thousand million. */
const MAX_PIXELS = 64_000_000
/** Of pictures that can only be decoded as a whole, and so lie in memory as a whole. */
const MAX_PIXELS_DECODED_WHOLE = 24_000_000
/** AVIF takes ten times as long to decode as any other. This is a 4K picture, or 3,000 x 3,000. */
const MAX_PIXELS_OF_AVIF = 9_000_000
const MAX_FRAMES = 1_000
export const THUMBNAIL_SIDE = 320

/** Pictures that get a thumbnail; being decoded for it is what proves them sound. */
const DECODED: Record<string, string> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'heif',
}

/** With the first picture: until then it would only take memory. */
const loadSharp = async () => {
  const { default: sharp } = await import('sharp')
  // A cache of pictures that nobody asks for twice, and threads beyond the cores, are memory for nothing.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
let loaded: ReturnType<typeof loadSharp> | undefined

const pictures = createFairQueue({ slots: 2, maxWaiting: 200, maxWaitingInLine: 30 })

/** Decoding takes memory and a core. A store has one picture decoded at a time, so that another finds a free slot. */
export const decodeInTurn = <T>(store: string, work: () => Promise<T>) => pictures.run([{ key: store, max: 1 }], work)

const tooBusy = (cause: unknown) =>
  new ApiError('unavailable', 'Too many pictures are waiting to be processed. Try again shortly.', {
    cause,
    retryAfter: 5,
  })

const CORRUPT = 'must be an intact picture: this one is truncated or corrupt'

interface Examined {
  fault?: string
  thumbnail?: string
}

const millions = (pixels: number) => `${pixels / 1_000_000} million pixels`

/** What the header alone gives away, before anything is decoded. */
const limitError = ({ format, width = 0, height = 0, pages = 1, isProgressive }: Metadata): string | undefined => {
  if (pages > MAX_FRAMES) return `must have at most ${MAX_FRAMES} frames, not ${pages}`
  const whole = isProgressive || !['jpeg', 'png'].includes(format ?? '')
  const most = format === 'heif' ? MAX_PIXELS_OF_AVIF : whole ? MAX_PIXELS_DECODED_WHOLE : MAX_PIXELS
  // With several frames sharp tells the height of one.
  if (width * height > most) return `must have at most ${millions(most)}: this one is ${width} x ${height}`
  return undefined
}

const decode = async (file: string, format: string): Promise<{ fault: string } | { thumbnail: Buffer }> => {
  const options: SharpOptions = {
    failOn: 'truncated',
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
    animated: false,
  }
  loaded ??= loadSharp()
  const sharp = await loaded
  try {
    const header = await sharp(file, options).metadata()
    if (header.format !== format) return { fault: CORRUPT }
    const fault = limitError(header)
    if (fault) return { fault }
    // Turned as its EXIF says, and written without any of it: the place a picture was taken at stays out.
    const thumbnail = await sharp(file, options)
      .rotate()
      .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer()
    return { thumbnail }
  } catch {
    return { fault: CORRUPT }
  }
}

/** Written apart from the decoding: a disk without room is not the picture's fault. */
const writeThumbnail = async (file: string, bytes: Buffer) => {
  const thumbnail = `${file}.webp`
  try {
    await writeFile(thumbnail, bytes, { mode: 0o600 })
  } catch (error) {
    await rm(thumbnail, { force: true })
    throw error
  }
  return thumbnail
}

const examine = async (file: string, mimeType: string, format: string): Promise<Examined> => {
  const handle = await open(file)
  try {
    const other = await detectPolyglot(handle, mimeType)
    if (other) return { fault: `must be only a picture: this one is also ${other}` }
  } finally {
    await handle.close()
  }
  const decoded = await decode(file, format)
  return 'fault' in decoded ? decoded : { thumbnail: await writeThumbnail(file, decoded.thumbnail) }
}

/**
 * Refuses pictures that are broken, bombs, or something else besides; makes the thumbnail of the others. Stores take
 * turns: one that sends many large pictures waits for itself.
 */
export const examineImage = async (file: string, mimeType: string, store: string): Promise<Examined> => {
  const format = DECODED[mimeType]
  if (!format) return {}
  try {
    return await decodeInTurn(store, () => examine(file, mimeType, format))
  } catch (error) {
    throw error instanceof QueueFullError ? tooBusy(error) : error
  }
}
