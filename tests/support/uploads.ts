import sharp from 'sharp'
import { expect } from 'vitest'
import type { TestApi } from './api.ts'

/** A valid picture. Another colour gives another file. */
export const picture = async (
  format: 'jpeg' | 'png' | 'webp' | 'gif' = 'png',
  { width = 40, height = 30, colour = '#3366cc' } = {},
): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: colour } })
    [format]()
    .toBuffer()

type Part = string | Uint8Array | { name?: string; bytes: Uint8Array; type?: string }

/** A form as a browser sends it: text as fields, bytes as files. An array repeats a field. */
export const form = (fields: Record<string, Part | Part[]>) => {
  const body = new FormData()
  for (const [field, given] of Object.entries(fields)) {
    for (const part of [given].flat() as Part[]) {
      if (typeof part === 'string') body.append(field, part)
      else if (part instanceof Uint8Array) body.append(field, new Blob([part as Uint8Array<ArrayBuffer>]), 'file.bin')
      else
        body.append(
          field,
          new Blob([part.bytes as Uint8Array<ArrayBuffer>], { type: part.type ?? '' }),
          part.name ?? 'file.bin',
        )
    }
  }
  return body
}

export const upload = async (api: TestApi, fields: Parameters<typeof form>[0]) => {
  const reply = await api.as('file:upload').post('/file', form(fields))
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data.file
}
