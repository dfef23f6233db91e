import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startTestApi } from '../support/api.ts'
import { form, picture, upload } from '../support/uploads.ts'
import { recordResult } from './results-table.ts'

const LARGE = 10
const SMALL = 5

/** Three million pixels in the format that is slowest to decode. */
const slowAvif = async () => {
  const [width, height] = [2000, 1500]
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .avif({ effort: 0, quality: 90 })
    .toBuffer()
}

test('many large images of one store do not delay a small image of another', async () => {
  const [busy, other] = [await startTestApi(), await startTestApi()]
  const [large, small] = [await slowAvif(), await picture()]
  const caller = await busy.as('file:upload')
  await other.as('file:upload')
  let done = 0
  const sent = Array.from({ length: LARGE }, async () => {
    const reply = await caller.post('/file', form({ file: large }))
    done++
    return reply.status
  })
  // By the time the first is finished, all others have arrived and are waiting.
  await Promise.race(sent)
  const before = done
  for (let n = 0; n < SMALL; n++) await upload(other, { file: small })
  const overtaken = done - before
  expect(await Promise.all(sent)).toEqual(Array(LARGE).fill(201))
  recordResult({
    case: 'images: small ones of one store beside large ones of another',
    tried: SMALL,
    lost: overtaken > LARGE / 2 ? 1 : 0,
    note: `${overtaken} of ${LARGE} large ones meanwhile`,
  })
  expect(overtaken).toBeLessThanOrEqual(LARGE / 2)
})
