import { refuseDuplicate, type Tx } from '../../core/storage/database.ts'
import { invalid } from '../../errors.ts'
import { hostName, readableHost } from './host-name.ts'
import { isClaimed } from './queries.ts'

const taken = () => invalid({ host: ['is already taken'] })

export const refuseTaken = refuseDuplicate(taken)

/** Host names are unique across all stores, whether given in ASCII or Unicode. */
export const requireFreeHost = async (db: Tx, text: string): Promise<string> => {
  const host = hostName(text)
  if (host === undefined)
    throw invalid({ host: ['must be a host name such as shop.example, without port and path, and not an IP address'] })
  if (await isClaimed(db, [host, readableHost(host)])) throw taken()
  return host
}
