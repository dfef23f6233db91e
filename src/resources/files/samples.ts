import { readFile } from 'node:fs/promises'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'
import { form, picture } from '../../../tests/support/uploads.ts'

const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')

export const seed = async ({ make }: SeedContext) => {
  const upload = async (name: string, bytes: Buffer) => (await make('/file', form({ file: { name, bytes } }))).file
  return {
    image: await upload('a.png', await picture()),
    spare: await upload('b.png', await picture()),
    unused: await upload('e.png', await picture()),
    document: await upload('c.pdf', PDF),
    video: await upload('d.webm', await readFile('src/demo/media/lamp-car.webm')),
  }
}

export const samples = ({ product, image }: Seeded) => [
  { route: 'GET /file', querystring: { fileable_type: 'product', fileable_id: product.id } },
  { route: 'GET /file/:id', params: { id: image.id } },
  { route: 'PUT /file/:id', params: { id: image.id }, body: { alt: 'A blue mug' } },
  { route: 'GET /file/:id/link', params: { id: image.id } },
  { route: 'POST /file', body: { fileable_type: 'product', fileable_id: product.id } },
]

export const removals = ({ product, image, spare, unused }: Seeded) => [
  {
    route: 'DELETE /file/:id/link/:fileable_type/:fileable_id',
    params: { id: image.id, fileable_type: 'product', fileable_id: product.id },
  },
  { route: 'POST /file/:id', params: { id: spare.id } },
  { route: 'POST /file/unused', body: { file_ids: [unused.id] } },
]
