import { createReadStream, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Blobs, blobKey, thumbnailKey } from '../core/storage/blobs/blobs.ts'
import { createFairQueue, type RunInTurn } from '../core/storage/fair-queue.ts'
import type { FileRole } from '../resources/files/rules.ts'
import { deleteStaged, stageUpload } from '../resources/files/stage-upload.ts'
import type { LandingPage } from './landing-pages.ts'
import type { Product } from './products.ts'
import { DAY, seededId } from './random.ts'
import { STORE } from './store.ts'

type Owner = 'product_id' | 'variant_id' | 'landing_page_id' | 'review_id'

interface Link {
  role: FileRole
  position: number
  owner: [Owner, string]
}

interface DemoFile {
  id: string
  name: string
  alt: string
  at: number
  links: Link[]
  /** Name in the folder `media`. */
  source: string
}

const MEDIA = fileURLToPath(new URL('./media/', import.meta.url))
const sources = readdirSync(MEDIA)

/** Finds the file of a product: its name is the SKU and, for a picture, what it shows. */
const findSource = ({ note: { sku } }: Product, shows?: string) =>
  sources.find((name) => path.parse(name).name === [sku.toLowerCase(), ...(shows ? [shows] : [])].join('-'))

const pictureFiles = (product: Product, shows: string, alt: string, links: Link[]): DemoFile[] => {
  const source = findSource(product, shows)
  if (!source) return []
  const id = seededId('file', `${product.note.sku} ${shows}`, product.at)
  return [{ id, name: source, alt, at: product.at, links, source }]
}

const onProduct = ({ id }: Product, role: FileRole, position: number): Link => ({
  role,
  position,
  owner: ['product_id', id],
})

/** The first picture of a product; its landing pages show it, too. */
const frontPicture = (product: Product, pages: LandingPage[]) => {
  const shown = pages
    .filter((page) => page.product === product)
    .map(({ id }): Link => ({ role: 'landing_page_images', position: 0, owner: ['landing_page_id', id] }))
  return pictureFiles(product, 'front', product.note.title, [onProduct(product, 'product_images', 0), ...shown])
}

/** One picture for each colour, shared by all variants of that colour. */
const colourPictures = (product: Product) => {
  const { pictured, options, title } = product.note
  if (!pictured) return []
  return (options?.[pictured] ?? []).flatMap((value, place) => {
    const links = product.variants
      .filter(({ choices }) => choices.some(({ option, value: own }) => option === pictured && own === value))
      .map(({ id }): Link => ({ role: 'variant_image', position: 0, owner: ['variant_id', id] }))
    return pictureFiles(product, `colour-${place + 1}`, `${title}, ${value}`, links)
  })
}

const videoFiles = (product: Product): DemoFile[] => {
  const source = `${product.note.sku.toLowerCase()}.webm`
  if (!sources.includes(source)) return []
  const id = seededId('file', `${product.note.sku} video`, product.at)
  return [{ id, name: source, alt: '', at: product.at + DAY, links: [onProduct(product, 'ugc_video', 0)], source }]
}

const downloadFiles = ({ note, variants, at }: Product): DemoFile[] =>
  (note.downloads ?? []).map((kind, place) => {
    const name = `${note.sku.toLowerCase()}.${kind}`
    return {
      id: seededId('file', `${note.sku} ${kind}`, at),
      name,
      alt: '',
      at,
      links: [{ role: 'digital_product', position: 0, owner: ['variant_id', variants[place]?.id as string] }],
      source: name,
    }
  })

/** Snapshots taken by buyers. */
const reviewPictures = (reviews: { id: string; product_id: string }[], products: Product[]): DemoFile[] =>
  reviews.map(({ id, product_id }, index) => {
    const { note, at } = products.find((product) => product.id === product_id) as Product
    return {
      id: seededId('file', `${note.sku} review-${index}`, at),
      name: `IMG_${2041 + index * 17}.jpg`,
      alt: '',
      at,
      links: [{ role: 'review_images', position: 0, owner: ['review_id', id] }],
      source: `review-${index + 1}.jpg`,
    }
  })

export const makeFiles = (
  products: Product[],
  pages: LandingPage[],
  reviewed: { id: string; product_id: string }[],
): DemoFile[] => [
  ...products.flatMap((product) => [
    ...frontPicture(product, pages),
    ...pictureFiles(product, 'at-home', '', [onProduct(product, 'product_images', 1)]),
    ...colourPictures(product),
    ...videoFiles(product),
    ...downloadFiles(product),
  ]),
  ...reviewPictures(reviewed, products),
]

export const frontImageId = ({ note, at }: Product) => seededId('file', `${note.sku} front`, at)

/** Stores the bytes of a file as an upload would. Doing it twice is harmless: a blob's key is the hash of its bytes. */
const place = async (blobs: Blobs, { source }: DemoFile) => {
  const stream = createReadStream(path.join(MEDIA, source))
  const staged = await stageUpload(blobs.incoming, stream, { maxBytes: 10_000_000 }, STORE.id)
  if ('fault' in staged) throw new Error(`A file of the demo store ${staged.fault}.`)
  try {
    await blobs.place(blobKey(STORE.id, staged.sha256), staged.path)
    if (staged.thumbnail) await blobs.place(thumbnailKey(STORE.id, staged.sha256), staged.thumbnail)
  } finally {
    await deleteStaged([staged])
  }
  const { sha256, size, mimeType, thumbnail } = staged
  return { sha256: `\\x${sha256}`, size, mime_type: mimeType, thumbnail: thumbnail !== undefined }
}

const MAX_CONCURRENT = 4

const linkRow = (file: DemoFile, { role, position, owner: [column, id] }: Link) => ({
  store_id: STORE.id,
  id: seededId('file link', `${file.id} ${role} ${id}`, file.at),
  file_id: file.id,
  role,
  position,
  [column]: id,
})

export const placeFiles = async (blobs: Blobs, files: DemoFile[]) => {
  const queue = createFairQueue({ slots: MAX_CONCURRENT })
  const inTurn: RunInTurn = (work) => queue.run([{ key: 'demo', max: MAX_CONCURRENT }], work)
  const placed = await Promise.all(
    files.map(async (file) => ({ file, content: await inTurn(() => place(blobs, file)) })),
  )
  const contents = new Map(placed.map(({ file, content }) => [content.sha256, { ...content, at: file.at }]))
  return {
    blob: [...contents.values()].map(({ thumbnail, at, ...content }) => ({
      store_id: STORE.id,
      ...content,
      has_thumbnail: thumbnail,
      created_at: new Date(at),
    })),
    file: placed.map(({ file: { id, name, alt, at }, content }) => ({
      store_id: STORE.id,
      id,
      ...content,
      name,
      alt,
      created_at: new Date(at),
    })),
    file_link: files.flatMap((file) => file.links.map((link) => linkRow(file, link))),
  }
}
