import { open, rm, writeFile } from 'node:fs/promises'
import type { Metadata, SharpOptions } from 'sharp'
import { createFairQueue, QueueFullError } from '../../core/storage/fair-queue.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError } from '../../errors.ts'
import { detectPolyglot } from './polyglots.ts'

/** Phones take pictures of 50 million pixels; a decompression bomb has a thousand million. */
const MAX_PIXELS = 64_000_000
/** For formats that must be decoded whole, in memory. */
const MAX_PIXELS_DECODED_WHOLE = 24_000_000
/** AVIF decodes ten times slower than other formats. This is a 4K picture, or 3,000 x 3,000. */
const MAX_PIXELS_OF_AVIF = 9_000_000
const MAX_FRAMES = 1_000
export const THUMBNAIL_SIDE = 320

/** Formats that get a thumbnail. Decoding them also proves that they are intact. */
const DECODED: Record<string, string> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'heif',
}

/** Loaded with the first picture, to save memory until then. */
const loadSharp = async () => {
  const { default: sharp } = await import('sharp')
  // Pictures are decoded once, so sharp's cache and extra threads only waste memory.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
let loaded: ReturnType<typeof loadSharp> | undefined
export const openSharp = () => {
  loaded ??= loadSharp()
  return loaded
}

const pictures = createFairQueue({ slots: 2, maxWaiting: 200, maxWaitingInLine: 30 })

/** Decoding takes memory and a core. One picture per store at a time, so that one store cannot block another. */
export const decodeInTurn = <T>(line: string, work: () => Promise<T>) => pictures.run([{ key: line, max: 1 }], work)

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

/** Checks the header before anything is decoded. */
const limitError = ({ format, width = 0, height = 0, pages = 1, isProgressive }: Metadata): string | undefined => {
  if (pages > MAX_FRAMES) return `must have at most ${MAX_FRAMES} frames, not ${pages}`
  const whole = isProgressive || !['jpeg', 'png'].includes(format ?? '')
  const most = format === 'heif' ? MAX_PIXELS_OF_AVIF : whole ? MAX_PIXELS_DECODED_WHOLE : MAX_PIXELS
  // For animations, sharp's height is that of one frame.
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
  const sharp = await openSharp()
  try {
    const header = await sharp(file, options).metadata()
    if (header.format !== format) return { fault: CORRUPT }
    const fault = limitError(header)
    if (fault) return { fault }
    // Rotated according to EXIF, then stripped of all metadata, such as the location.
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

/** Separate from decoding: a full disk is not the picture's fault. */
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
 * Refuses corrupt pictures, decompression bombs and polyglots, and creates the thumbnail of the others. Stores take
 * turns, so that one store's large pictures delay only its own uploads.
 */
export const examineImage = async (file: string, mimeType: string, store: StoreId): Promise<Examined> => {
  const format = DECODED[mimeType]
  if (!format) return {}
  try {
    return await decodeInTurn(store, () => examine(file, mimeType, format))
  } catch (error) {
    throw error instanceof QueueFullError ? tooBusy(error) : error
  }
}
