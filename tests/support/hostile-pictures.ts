import { deflateSync } from 'node:zlib'
import sharp from 'sharp'

const CRC = Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})
const crc32 = (bytes: Buffer) => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (CRC[(crc ^ byte) & 255] as number) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}
export const chunk = (type: string, bytes: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), bytes])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(bytes.length)
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, crc])
}

/** A valid PNG of 30,000 x 30,000 black pixels: small on disk, 900 million pixels when decoded. */
export const bomb = () => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(30_000, 0)
  header.writeUInt32BE(30_000, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc(30_000 * (1 + 30_000 / 8)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A GIF of frames of one pixel. */
export const manyFrames = (count: number) => {
  const head = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff', 'latin1')
  const frame = '!\xf9\x04\x00\x05\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00'
  return Buffer.concat([head, Buffer.from(frame.repeat(count), 'latin1'), Buffer.from(';')])
}

/** An AVIF whose header declares more pixels than it has. */
export const largeAvif = async (width: number, height: number) => {
  const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#fff' } })
    .avif({ effort: 0 })
    .toBuffer()
  const size = bytes.indexOf('ispe') + 8
  bytes.writeUInt32BE(width, size)
  bytes.writeUInt32BE(height, size + 4)
  return bytes
}
