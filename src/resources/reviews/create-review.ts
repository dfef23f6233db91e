import type { Upload } from '../../core/http/multipart.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ValidationErrors } from '../../errors.ts'
import { attachFiles, requireFiles } from '../files/attachments.ts'
import { saveUploads } from '../files/save-uploads.ts'
import { lockProductReference } from '../products/queries.ts'
import type { NewReview } from './schema.ts'

/** Uploaded images are added after those in `image_ids`. Returns the id. */
export const createReview = async (
  db: Tx,
  store: StoreId,
  { image_ids = [], ...review }: NewReview,
  uploads: Upload[],
): Promise<string> => {
  const errors = new ValidationErrors()
  if (!(await lockProductReference(db, store, review.product_id)))
    errors.add('product_id', 'must be the id of a product')
  const references = image_ids.map((id, index) => ({ field: `image_ids.${index}`, id, role: 'review_images' as const }))
  await requireFiles(db, store, references, errors)
  errors.throwIfAny()

  const { id } = await db
    .insertInto('review')
    .values({ store_id: store, ...review })
    .returning('id')
    .executeTakeFirstOrThrow()
  const files = [...image_ids, ...(await saveUploads(db, store, uploads))]
  const images = files.map((file, position) => ({ owner: id, file, position }))
  await attachFiles(db, store, 'review', 'review_images', images)
  return id
}
