import { Faults } from '../errors.ts'
import { linkFiles, requireFiles } from '../files/attachments.ts'
import type { FileLinks } from '../files/file-urls.ts'
import { saveUploads } from '../files/save-uploads.ts'
import type { Upload } from '../files/stage-upload.ts'
import type { StoreId } from '../http/access.ts'
import { holdProduct } from '../products/lock-product.ts'
import type { Tx } from '../storage/database.ts'
import { findReview } from './queries.ts'
import type { NewReview } from './schema.ts'

/** Uploaded images follow those named in `image_ids`. */
export const createReview = async (
  db: Tx,
  links: FileLinks,
  store: StoreId,
  { image_ids = [], ...review }: NewReview,
  uploads: Upload[],
): Promise<string> => {
  const faults = new Faults()
  if (!(await holdProduct(db, store, review.product_id))) faults.add('product_id', 'must be the id of a product')
  const references = image_ids.map((id, index) => ({ field: `image_ids.${index}`, id, role: 'review_images' as const }))
  await requireFiles(db, store, references, faults)
  faults.throwIfAny()

  const { id } = await db
    .insertInto('review')
    .values({ store_id: store, ...review })
    .returning('id')
    .executeTakeFirstOrThrow()
  const files = [...image_ids, ...(await saveUploads(db, store, uploads))]
  const images = files.map((file, position) => ({ owner: id, file, position }))
  await linkFiles(db, store, 'review', 'review_images', images)
  return (await findReview(db, links, store, id)) as string
}
