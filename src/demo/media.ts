import sharp from 'sharp'
import { lamp } from './drawings/home.ts'
import { palettes, scene } from './drawings/scene.ts'
import { mug, steam } from './drawings/table.ts'
import { muxWebm } from './webm.ts'

/** Things other than pictures that files of the demo store contain. */

const escapePdf = (text: string) => text.replace(/[\\()]/g, '\\$&')

/** One page of text, laid out by hand; small, and every reader opens it. */
export const makePdf = (title: string, lines: string[]): Buffer => {
  const page = [
    'BT /F1 26 Tf 60 740 Td',
    `(${escapePdf(title)}) Tj`,
    '/F2 13 Tf 0 -46 Td 21 TL',
    ...lines.map((line) => `(${escapePdf(line)}) Tj T*`),
    'ET',
    '0.78 0.39 0.24 rg 60 770 120 6 re f',
  ].join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.lastIndexOf('xref\n')}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

const RATE = 11_025
// A few notes of a scale with the second step that gives malouf its colour.
const MELODY = [293.66, 311.13, 369.99, 392, 440, 392, 369.99, 311.13, 293.66]
const NOTE_SECONDS = 0.32

/** A plucked string, a few seconds long: 16 bits, one channel. */
export const makeWav = (): Buffer => {
  const perNote = Math.floor(RATE * NOTE_SECONDS)
  const samples = Buffer.alloc(perNote * MELODY.length * 2)
  for (const [note, pitch] of MELODY.entries()) {
    for (let n = 0; n < perNote; n++) {
      const turn = (2 * Math.PI * pitch * n) / RATE
      const sound = Math.sin(turn) + 0.45 * Math.sin(2 * turn) + 0.2 * Math.sin(3 * turn)
      const fade = Math.exp((-5 * n) / perNote) * Math.min(1, n / 40)
      samples.writeInt16LE(Math.round(sound * fade * 14_000), (note * perNote + n) * 2)
    }
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

const SIDE = 280
const FRAMES = 12

const films = {
  mug: (phase: number) => scene((palette) => mug(palette) + steam(phase), palettes.sea, 'tiles', SIDE),
  lamp: (phase: number) => scene(lamp(0.35 + 0.65 * Math.sin(phase * Math.PI) ** 2), palettes.night, 'arch', SIDE),
}

/** A real, if very short, film: each frame a picture that is drawn and then wrapped up as video. */
export const makeVideo = async (film: keyof typeof films): Promise<Buffer> => {
  const frames = Array.from({ length: FRAMES }, (_, frame) =>
    sharp(Buffer.from(films[film](frame / FRAMES)))
      .webp({ quality: 70, effort: 1 })
      .toBuffer(),
  )
  return muxWebm(await Promise.all(frames), SIDE, SIDE)
}
