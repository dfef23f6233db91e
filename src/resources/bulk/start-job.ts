import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { BlobNotFound, type Blobs, blobKey, jobInputKey } from '../../core/storage/blobs/blobs.ts'
import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { dropJob, type NewJob, reserveJob } from './queries.ts'
import { type StagedInput, stageInput } from './receive-input.ts'

const NO_SUCH_FILE = 'must be the id of a file of this store'

/** The content of an uploaded file. */
export const openFile = async (db: Db, blobs: Blobs, store: StoreId, id: string): Promise<Readable> => {
  const text = sqlText`select encode(sha256, 'hex') as sha256 from file where store_id = $1 and id = $2`
  const [file] = await runSql<{ sha256: string }>(db, text, [store, id])
  if (!file) throw invalid({ file_id: [NO_SUCH_FILE] })
  return blobs.open(blobKey(store, file.sha256)).catch((error) => {
    throw error instanceof BlobNotFound ? invalid({ file_id: [NO_SUCH_FILE] }) : error
  })
}

/**
 * Receives and stores the input of a job; `work` queues the job. The row is created first, so that the cleanup finds an
 * input left by a crash. If the job is not queued, because of an error or because the request is a retry, the row and the
 * input are deleted.
 */
export const startJob = async <T>(
  { db, blobs }: { db: Db; blobs: Blobs },
  job: NewJob,
  open: () => Promise<Readable>,
  work: (input: StagedInput, queued: () => void) => Promise<T>,
): Promise<T> => {
  await reserveJob(db, job)
  let isQueued = false
  let staged: StagedInput | undefined
  try {
    staged = await stageInput(blobs.incoming, await open())
    await blobs.place(jobInputKey(job.store_id, job.id), staged.path)
    return await work(staged, () => {
      isQueued = true
    })
  } finally {
    if (!isQueued) {
      if (staged) await rm(staged.path, { force: true })
      await blobs.remove([jobInputKey(job.store_id, job.id)])
      await dropJob(db, job)
    }
  }
}
