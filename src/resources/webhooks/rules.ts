import type { BlockList } from 'node:net'
import { invalid } from '../../errors.ts'
import type { EventKinds } from '../events/kinds.ts'
import { refusalOfUrl } from './addresses.ts'
import type { WebhookSecrets } from './signing.ts'

export interface Rules {
  secrets: WebhookSecrets
  opened: BlockList | undefined
  eventKinds: EventKinds
}

export const checkUrl = (url: string, { opened }: Rules) => {
  const refusal = refusalOfUrl(url, opened)
  if (refusal) throw invalid({ url: [refusal] })
}
