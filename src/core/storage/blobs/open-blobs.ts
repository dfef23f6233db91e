import type { Config } from '../../../config/config.ts'
import type { Blobs } from './blobs.ts'

/** The client of S3 is large, so only what is needed is loaded. */
export const openBlobs = async (config: Config): Promise<Blobs> => {
  if (config.BLOBS === 'disk') return (await import('./disk-blobs.ts')).openDiskBlobs(config.DATA_DIR)
  return (await import('./s3-blobs.ts')).openS3Blobs(config, config.BLOBS)
}
