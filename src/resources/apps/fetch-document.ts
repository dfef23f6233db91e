import { invalid } from '../../errors.ts'
import { type Egress, FAULTS, type Fetched } from '../webhooks/egress.ts'
import { MAX_MANIFEST_BYTES, parseManifest } from './manifest.ts'

const TIMEOUT_MS = 5_000

const REASONS = {
  ...FAULTS,
  address: 'The host leads to an address that is not public.',
  timeout: 'No complete reply within 5 seconds.',
  redirect: 'A redirect to another host, or too many.',
  status: 'A status other than 200.',
  size: 'The reply is too large.',
}

export const bytesAt = async (egress: Egress, url: string, field: string, maxBytes: number): Promise<Buffer> => {
  const fetched: Fetched = await egress.get(url, { maxBytes, timeoutMs: TIMEOUT_MS })
  if ('body' in fetched) return fetched.body
  throw invalid({ [field]: [`could not be read: ${REASONS[fetched.fault]}`] })
}

/** The JSON at an address, read through the same guard against private addresses as webhooks. */
export const jsonAt = async (egress: Egress, url: string, field = 'manifest'): Promise<unknown> => {
  const bytes = await bytesAt(egress, url, field, MAX_MANIFEST_BYTES)
  try {
    return parseManifest(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw error instanceof TypeError ? invalid({ [field]: ['must be UTF-8'] }) : error
  }
}
