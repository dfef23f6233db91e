import type { BlockList } from 'node:net'
import type { Config } from '../../config/config.ts'
import type { Metrics } from '../../core/http/metrics.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { traceDeliveries } from './delivery-traces.ts'
import { DISPATCH_OPTIONS, type DispatcherServices, type DispatchOptions } from './dispatch.ts'
import { type Dispatcher, startDispatcher } from './dispatcher.ts'
import { createEgress, type Egress, type EgressOptions } from './egress.ts'
import { measureWebhooks } from './metrics.ts'
import { createPausedWebhooks, type PausedWebhooks } from './paused.ts'
import { createWebhookSecrets, type WebhookSecrets } from './signing.ts'

/** What routes need of webhooks. */
export interface Webhooks {
  secrets: WebhookSecrets
  egress: Egress
  paused: PausedWebhooks
  /** Networks that the operator has opened. */
  opened: BlockList | undefined
  /** Whether this process sends anything. */
  isOn: boolean
  /** Webhooks that a test is being sent to. */
  testing: Set<string>
  /** A webhook of the store was created, resumed or given something to send. */
  expect: (store: StoreId) => void
}

/** Overrides of times, limits and name resolution, for tests. */
export type WebhookOptions = Partial<DispatchOptions> & Omit<Partial<EgressOptions>, 'opened'> & { pausedMs?: number }

type Given = Pick<DispatcherServices, 'db' | 'hub' | 'log' | 'accessCache' | 'fileUrls' | 'kinds' | 'eventKinds'>

/** How long a graceful shutdown waits for receivers that are slow to answer. */
const MAX_STOP_MS = 5_000

/** What routes need of webhooks, and what delivers them. */
export const startWebhooks = (
  { config, metrics, key, ...given }: Given & { config: Config; metrics: Metrics; key: Buffer },
  { resolve, timeoutMs, pausedMs, ...options }: WebhookOptions = {},
) => {
  const opened = config.WEBHOOK_PRIVATE
  const secrets = createWebhookSecrets(key)
  const egress = traceDeliveries(createEgress({ opened, ...(resolve && { resolve }), ...(timeoutMs && { timeoutMs }) }))
  const paused = createPausedWebhooks(given.db, pausedMs)
  const isOn = config.WEBHOOKS === 'on'
  const count = measureWebhooks(metrics, given.db)
  let dispatcher: Dispatcher | undefined
  const webhooks: Webhooks = {
    secrets,
    egress,
    paused,
    opened,
    isOn,
    testing: new Set(),
    expect: (store) => dispatcher?.expect(store),
  }
  return {
    webhooks,
    startDelivery: () => {
      paused.start()
      if (!isOn) return
      const dispatch = { ...DISPATCH_OPTIONS, ...options }
      dispatcher = startDispatcher({
        ...given,
        secrets,
        egress,
        paused,
        count,
        pool: config.DATABASE_POOL,
        options: dispatch,
      })
    },
    closeWebhooks: async () => {
      paused.close()
      await dispatcher?.stop(Math.min(config.SHUTDOWN_SECONDS * 1000, MAX_STOP_MS))
      egress.close()
    },
  }
}
