import { invalid } from '../../errors.ts'
import { decodeInTurn, openSharp } from '../files/images.ts'
import type { Egress } from '../webhooks/egress.ts'
import { bytesAt } from './fetch-document.ts'

const SIDE = 128
const MAX_BYTES = 1024 * 1024
const MAX_SIDE = 4_096
/** No SVG: it is a program that draws, and may refer to other files. */
const FORMATS = ['png', 'jpeg', 'webp', 'gif']

const refuse = (message: string) => invalid({ icon: [message] })

const readData = (url: string) => {
  const [, base64] = /^data:image\/(?:png|jpeg|webp|gif);base64,([A-Za-z0-9+/]+=*)$/.exec(url) ?? []
  if (!base64) throw refuse('must be a data: URL of a png, jpeg, webp or gif in base64')
  return Buffer.from(base64, 'base64')
}

const draw = async (bytes: Buffer): Promise<Buffer> => {
  const sharp = await openSharp()
  const options = { failOn: 'truncated', limitInputPixels: MAX_SIDE * MAX_SIDE, animated: false } as const
  try {
    const { format = '', width = 0, height = 0 } = await sharp(bytes, options).metadata()
    if (!FORMATS.includes(format) || width > MAX_SIDE || height > MAX_SIDE)
      throw new Error(`${format} ${width} x ${height}`)
    return await sharp(bytes, options)
      .rotate()
      .resize(SIDE, SIDE, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .webp({ quality: 90 })
      .toBuffer()
  } catch {
    throw refuse(`must be an intact png, jpeg, webp or gif of at most ${MAX_SIDE} x ${MAX_SIDE} pixels`)
  }
}

/** The icon as we serve it: downloaded once and drawn again, without metadata. */
export const readIcon = async (egress: Egress, url: string): Promise<Buffer> => {
  const bytes = url.startsWith('data:') ? readData(url) : await bytesAt(egress, url, 'icon', MAX_BYTES)
  return decodeInTurn('icons of apps', () => draw(bytes))
}
