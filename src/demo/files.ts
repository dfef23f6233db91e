import { Readable } from 'node:stream'
import sharp from 'sharp'
import type { FileRole } from '../files/rules.ts'
import { deleteStaged, stageUpload } from '../files/stage-upload.ts'
import { type Blobs, blobKey, thumbnailKey } from '../storage/blobs/blobs.ts'
import { concurrencyLimit } from '../storage/concurrency-limit.ts'
import type { DemoProduct } from './catalogue/product.ts'
import * as home from './drawings/home.ts'
import { type Backdrop, type Motif, type PaletteName, palettes, scene } from './drawings/scene.ts'
import * as table from './drawings/table.ts'
import { makePdf, makeVideo, makeWav } from './media.ts'
import type { LandingPage } from './pages.ts'
import type { Product } from './products.ts'
import { DAY, seededId } from './random.ts'
import { STORE } from './store.ts'

type Owner = 'product_id' | 'variant_id' | 'landing_page_id' | 'review_id'

interface Link {
  role: FileRole
  position: number
  owner: [Owner, string]
}

export interface DemoFile {
  id: string
  name: string
  alt: string
  at: number
  links: Link[]
  make: () => Promise<Buffer>
}

const motifs = { ...table, ...home, lamp: home.lamp(0.85) } as Record<DemoProduct['drawing'], Motif>

type Format = 'jpeg' | 'webp' | 'png'

interface Picture {
  backdrop: Backdrop
  colours: PaletteName
  size: number
  zoom?: number
  format: Format
}

const draw = ({ drawing }: DemoProduct, { backdrop, colours, size, zoom, format }: Picture) => {
  const picture = sharp(Buffer.from(scene(motifs[drawing], palettes[colours], backdrop, size, zoom)))
  const flat = picture.flatten({ background: '#fff' })
  if (format === 'png') return flat.png({ compressionLevel: 4 }).toBuffer()
  return (format === 'webp' ? flat.webp({ quality: 84, effort: 1 }) : flat.jpeg({ quality: 88 })).toBuffer()
}

const pictureFile = (product: Product, key: string, alt: string, picture: Picture, links: Link[]): DemoFile => ({
  id: seededId('file', `${product.note.sku} ${key}`, product.at),
  name: `${product.note.sku.toLowerCase()}-${key}.${picture.format === 'jpeg' ? 'jpg' : picture.format}`,
  alt,
  at: product.at,
  links,
  make: () => draw(product.note, picture),
})

const onProduct = ({ id }: Product, role: FileRole, position: number): Link => ({
  role,
  position,
  owner: ['product_id', id],
})

const FORMATS: Format[] = ['jpeg', 'jpeg', 'webp', 'jpeg', 'jpeg', 'jpeg', 'webp', 'png']

/** The first picture of a product, which its landing pages show too. */
const front = (product: Product, index: number, pages: LandingPage[]) => {
  const shown = pages
    .filter((page) => page.product === product)
    .map(({ id }): Link => ({ role: 'landing_page_images', position: 0, owner: ['landing_page_id', id] }))
  const picture = {
    backdrop: 'arch',
    colours: product.note.colours,
    size: 640,
    format: FORMATS[index % FORMATS.length] as Format,
  } as const
  return pictureFile(product, 'front', product.note.title, picture, [onProduct(product, 'product_images', 0), ...shown])
}

const atHome = (product: Product) => {
  const picture = { backdrop: 'tiles', colours: product.note.colours, size: 480, zoom: 1.12, format: 'jpeg' } as const
  return pictureFile(product, 'at-home', '', picture, [onProduct(product, 'product_images', 1)])
}

/** One picture for each colour, shared by all variants of that colour. */
const colourPictures = (product: Product) => {
  const { pictured, options, title } = product.note
  if (!pictured) return []
  return (options?.[pictured.option] ?? []).map((value, place) => {
    const links = product.variants
      .filter(({ choices }) => choices.some(({ option, value: own }) => option === pictured.option && own === value))
      .map(({ id }): Link => ({ role: 'variant_image', position: 0, owner: ['variant_id', id] }))
    const colours = pictured.colours[place] as PaletteName
    const picture = { backdrop: 'plain', colours, size: 360, format: 'webp' } as const
    return pictureFile(product, `colour-${place + 1}`, `${title}, ${value}`, picture, links)
  })
}

const videoFile = (product: Product): DemoFile => ({
  id: seededId('file', `${product.note.sku} video`, product.at),
  name: `${product.note.sku.toLowerCase()}.webm`,
  alt: '',
  at: product.at + DAY,
  links: [onProduct(product, 'ugc_video', 0)],
  make: () => makeVideo(product.note.drawing === 'lamp' ? 'lamp' : 'mug'),
})

const PAGES: Record<string, string[]> = {
  'EBOOK-TN': ['1. Brik with egg and capers', '2. Slata mechouia', '3. Couscous with lamb and quince', '4. Makroudh'],
  MALOUF: ['Noubet edhil', 'Noubet el asbaïn', 'Noubet raml el maya'],
  'CARNET-RAM': ['Chorba frik', 'Tajine malsouka', 'Salade blankit', 'Zlabia à la fleur d’oranger'],
}
const HEADINGS: Record<string, string> = { MALOUF: 'Malouf: the words', 'CARNET-RAM': 'Recettes du ramadan' }

/** PDF readers know these letters without an embedded font. */
const plain = (text: string) => text.replaceAll('’', "'")

const downloadFiles = ({ note, variants, at }: Product): DemoFile[] =>
  (note.downloads ?? []).map((kind, place) => ({
    id: seededId('file', `${note.sku} ${kind}`, at),
    name: `${note.sku.toLowerCase()}.${kind}`,
    alt: '',
    at,
    links: [{ role: 'digital_product', position: 0, owner: ['variant_id', variants[place]?.id as string] }],
    make: async () =>
      kind === 'wav' ? makeWav() : makePdf(HEADINGS[note.sku] ?? note.title, (PAGES[note.sku] ?? []).map(plain)),
  }))

/** Snapshots of buyers, closer than the shop would show the thing. */
const reviewPictures = (reviews: { id: string; product_id: string }[], products: Product[]) =>
  reviews.map(({ id, product_id }, index) => {
    const product = products.find((product) => product.id === product_id) as Product
    const picture = { backdrop: 'tiles', colours: product.note.colours, size: 400, zoom: 1.3, format: 'jpeg' } as const
    const links: Link[] = [{ role: 'review_images', position: 0, owner: ['review_id', id] }]
    return { ...pictureFile(product, `review-${index}`, '', picture, links), name: `IMG_${2041 + index * 17}.jpg` }
  })

export const makeFiles = (
  products: Product[],
  pages: LandingPage[],
  reviewed: { id: string; product_id: string }[],
): DemoFile[] => [
  ...products.flatMap((product, index) => [
    front(product, index, pages),
    ...(index % 3 === 0 ? [atHome(product)] : []),
    ...colourPictures(product),
    ...(product.note.video ? [videoFile(product)] : []),
    ...downloadFiles(product),
  ]),
  ...reviewPictures(reviewed, products),
]

export const frontImageId = ({ note, at }: Product) => seededId('file', `${note.sku} front`, at)

/** Draws a file and puts its bytes where they belong. Placing them twice does no harm: the same bytes, the same place. */
const place = async (blobs: Blobs, { make }: DemoFile) => {
  const staged = await stageUpload(blobs.incoming, Readable.from([await make()]), { maxBytes: 10_000_000 }, STORE.id)
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

const AT_ONCE = 4

const linkRow = (file: DemoFile, { role, position, owner: [column, id] }: Link) => ({
  store_id: STORE.id,
  id: seededId('file link', `${file.id} ${role} ${id}`, file.at),
  file_id: file.id,
  role,
  position,
  [column]: id,
})

export const placeFiles = async (blobs: Blobs, files: DemoFile[]) => {
  const inTurn = concurrencyLimit(AT_ONCE)
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
