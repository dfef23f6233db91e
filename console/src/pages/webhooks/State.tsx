import type { Delivery, WebhookInfo } from '../../api/developer.ts'
import { Badge } from '../../components/Badge.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useWebhookWords } from './words.ts'

export const WebhookState = ({ webhook: { state, failing_since } }: { webhook: WebhookInfo }) => {
  const { states } = useWebhookWords()
  if (state === 'paused') return <Badge tone="warn">{states.paused}</Badge>
  return failing_since ? <Badge tone="bad">{states.failing}</Badge> : <Badge tone="good">{states.on}</Badge>
}

const TONES = { waiting: 'warn', delivered: 'good', failed: 'bad' } as const

export const DeliveryState = ({ state }: { state: Delivery['state'] }) => (
  <Badge tone={TONES[state]}>{useWebhookWords().deliveryStates[state]}</Badge>
)

type Fault = keyof ReturnType<typeof useWebhookWords>['faults']

/** What the receiver said last, or why it said nothing. */
export const useAnswer = () => {
  const { faults } = useWebhookWords()
  return ({ status, error }: Pick<Delivery, 'status' | 'error'>) =>
    [error && faults[error as Fault], status].filter(Boolean).join(' · ')
}

export const Answer = ({ delivery }: { delivery: Delivery }) => {
  const answer = useAnswer()(delivery)
  return answer === '' ? <Ltr>–</Ltr> : <bdi>{answer}</bdi>
}
