import type { Upload } from '../../core/http/multipart.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { ValidationErrors } from '../../errors.ts'
import { appendAttachments, type FileReference, replaceAttachments, requireFiles } from '../files/attachments.ts'
import { saveUploads } from '../files/save-uploads.ts'
import { MAX_IMAGES, type ProductChanges } from './input.ts'
import { type MergedOptions, mergeOptions } from './merge-options.ts'
import { mergeVariants, refuseNegativeStock } from './merge-variants.ts'
import type { OptionsAndVariants } from './options-and-variants.ts'
import { checkGivenSize, checkStructureSize } from './product-size.ts'
import { countImages, findCategoryKey } from './queries.ts'

interface SavedUpload {
  index: number
  id: string
}

interface SavedUploads {
  images: SavedUpload[]
  files: SavedUpload[]
}

const saveAll = async (db: Tx, store: StoreId, uploads: Upload[]): Promise<SavedUploads> => {
  const ids = await saveUploads(db, store, uploads)
  const saved = uploads.map(({ field, index }, n) => ({ field, index, id: ids[n] as string }))
  return {
    images: saved.filter(({ field }) => field === 'images'),
    files: saved.filter(({ field }) => field === 'files'),
  }
}

/** `files[N]` becomes the file of `variants[N]`; without options, the first becomes the file of `default`. */
const assignFiles = (body: ProductChanges, { options }: MergedOptions, files: SavedUpload[]) => {
  if (body.variants?.length) {
    const takes = ({ index }: SavedUpload) => body.variants?.[index] && !body.variants[index]._delete
    const byIndex = new Map(files.filter(takes).map(({ index, id }) => [index, id]))
    const variants = body.variants.map((variant, n) => {
      const file = byIndex.get(n)
      return file ? { ...variant, file } : variant
    })
    return { body: { ...body, variants }, left: files.filter((file) => !takes(file)) }
  }
  const [first, ...rest] = files
  if (!first || options.length > 0) return { body, left: files }
  return { body: { ...body, default: { ...body.default, file: first.id } }, left: rest }
}

const references = (body: ProductChanges): FileReference[] => [
  ...(body.images ?? []).map(({ id }, n) => ({ field: `images.${n}`, id, role: 'product_images' as const })),
  ...(body.ugc_videos ?? []).map(({ id }, n) => ({ field: `ugc_videos.${n}`, id, role: 'ugc_video' as const })),
  ...(body.variants ?? []).flatMap(({ image, file }, n) => [
    ...(image ? [{ field: `variants.${n}.image`, id: image, role: 'variant_image' as const }] : []),
    ...(file ? [{ field: `variants.${n}.file`, id: file, role: 'digital_product' as const }] : []),
  ]),
  ...(body.default?.file ? [{ field: 'default.file', id: body.default.file, role: 'digital_product' as const }] : []),
]

const refuseTwice = (links: { id: string }[] = [], at: string, errors: ValidationErrors) => {
  const seen = new Set<string>()
  for (const [n, { id }] of links.entries()) {
    if (seen.has(id)) errors.add(`${at}.${n}`, 'is listed twice')
    seen.add(id)
  }
}

export interface Prepared {
  /** Undefined if options and variants do not change. */
  structure: OptionsAndVariants | undefined
  images: SavedUpload[]
  /** Uploaded files that no variant uses. */
  leftFiles: SavedUpload[]
  /** Undefined if the category does not change. */
  category: { category_id: string | null; category_key: string | null } | undefined
}

const findCategory = async (db: Tx, store: StoreId, id: string | null | undefined, errors: ValidationErrors) => {
  if (id === undefined) return undefined
  if (id === null) return { category_id: null, category_key: null }
  const category_key = await findCategoryKey(db, store, id)
  if (category_key !== undefined) return { category_id: id, category_key }
  errors.add('category_id', 'must be the id of a category of this store')
  return undefined
}

const NOTHING_MERGED = { structure: undefined, leftFiles: [] }

const merge = (
  current: OptionsAndVariants,
  title: string,
  body: ProductChanges,
  files: SavedUpload[],
  errors: ValidationErrors,
) => {
  checkGivenSize(current, body)
  const merged = mergeOptions(current.options, body.options ?? [], errors)
  const { body: withFiles, left } = assignFiles(body, merged, files)
  const structure = { options: merged.options, variants: mergeVariants(current, merged, withFiles, title, errors) }
  checkStructureSize(current, structure, errors)
  return { structure, leftFiles: left }
}

interface PrepareTarget {
  id: string
  title: string
  current: OptionsAndVariants | undefined
  /** The product is imported: it may be oversold where it comes from. */
  isImport: boolean
}

/** Computes the result of the request and collects all errors. Writes only the files. */
export const prepareProduct = async (
  db: Tx,
  store: StoreId,
  { id, title, current, isImport }: PrepareTarget,
  body: ProductChanges,
  uploads: Upload[],
  errors: ValidationErrors,
): Promise<Prepared> => {
  const saved = await saveAll(db, store, uploads)
  if (current && !isImport) refuseNegativeStock(current, body, errors)
  const { structure, leftFiles } = current ? merge(current, title, body, saved.files, errors) : NOTHING_MERGED
  refuseTwice(body.images, 'images', errors)
  refuseTwice(body.ugc_videos, 'ugc_videos', errors)
  await requireFiles(db, store, references(body), errors)
  const category = await findCategory(db, store, body.category_id, errors)
  const listed = saved.images.length === 0 ? 0 : (body.images?.length ?? (await countImages(db, store, id)))
  if (listed + saved.images.length > MAX_IMAGES) errors.add('images', `must not be more than ${MAX_IMAGES}`)
  return { structure, images: saved.images, leftFiles, category }
}

const idsOf = (files: SavedUpload[]) => files.map(({ id }) => id)

/** Items without an order keep their position in the list. */
const listedIds = (links: { id: string; order?: number }[]) =>
  links
    .map(({ id, order }, n) => ({ id, order: order ?? n }))
    .sort((a, b) => a.order - b.order)
    .map(({ id }) => id)

export const linkProductFiles = async (
  db: Tx,
  store: StoreId,
  id: string,
  body: ProductChanges,
  { images, leftFiles }: Prepared,
) => {
  if (body.images)
    await replaceAttachments(db, store, 'product', 'product_images', id, [...listedIds(body.images), ...idsOf(images)])
  else await appendAttachments(db, store, 'product', 'product_images', id, idsOf(images))
  if (body.ugc_videos) await replaceAttachments(db, store, 'product', 'ugc_video', id, listedIds(body.ugc_videos))
  await appendAttachments(db, store, 'product', 'digital_product', id, idsOf(leftFiles))
}
