/** Elements of Matroska, the container that WebM is a kind of. */
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timecodeScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codec: 0x86,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  cluster: 0x1f43b675,
  timecode: 0xe7,
  simpleBlock: 0xa3,
} as const

const bytesOf = (value: number) => {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}

/** Four bytes for every length: shorter ones save nothing worth having. */
const lengthOf = (content: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length + 0x10000000)
  return length
}

const element = (id: keyof typeof ID, content: Buffer | number | string | Buffer[]): Buffer => {
  const body = Array.isArray(content)
    ? Buffer.concat(content)
    : typeof content === 'number'
      ? bytesOf(content)
      : Buffer.from(content as string)
  return Buffer.concat([bytesOf(ID[id]), lengthOf(body), body])
}

const float = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** A lossy WebP is one key frame of VP8 in a wrapper: this takes it out. */
const keyFrame = (webp: Buffer) => {
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4)
    if (webp.toString('latin1', at, at + 4) === 'VP8 ') return webp.subarray(at + 8, at + 8 + size)
    at += 8 + size + (size % 2)
  }
  throw new Error('The picture has no lossy frame.')
}

const FRAME_MS = 100
const TRACK = 0x81
const KEY_FRAME = 0x80

const block = (webp: Buffer, frame: number) => {
  const head = Buffer.alloc(4)
  head.writeUInt8(TRACK, 0)
  head.writeInt16BE(frame * FRAME_MS, 1)
  head.writeUInt8(KEY_FRAME, 3)
  return element('simpleBlock', [head, keyFrame(webp)])
}

/** Ten pictures a second, in the order given. */
export const muxWebm = (frames: Buffer[], width: number, height: number): Buffer =>
  Buffer.concat([
    element('ebml', [element('docType', 'webm'), element('docTypeVersion', 2), element('docTypeReadVersion', 2)]),
    element('segment', [
      element('info', [
        element('timecodeScale', 1_000_000),
        element('duration', float(frames.length * FRAME_MS)),
        element('muxingApp', 'storefront'),
        element('writingApp', 'storefront'),
      ]),
      element('tracks', [
        element('track', [
          element('trackNumber', 1),
          element('trackUid', 1),
          element('trackType', 1),
          element('codec', 'V_VP8'),
          element('video', [element('width', width), element('height', height)]),
        ]),
      ]),
      element('cluster', [element('timecode', 0), ...frames.map(block)]),
    ]),
  ])
