import { Badge } from '../../components/Badge.tsx'
import { DELIVERY_TONES, deliveryStatuses, isPartlyShipped, type Order } from './labels.ts'
import { useOrderWords } from './words.ts'

/** How far an order's deliveries are. Of one that is partially shipped, every status that the filter finds it by. */
export const DeliveryBadge = ({ order }: { order: Order }) => {
  const words = useOrderWords()
  const statuses = deliveryStatuses(order)
  const [status] = statuses
  if (!status) return '–'
  if (!isPartlyShipped(order)) return <Badge tone={DELIVERY_TONES[status]}>{words.deliveryStatus[status]}</Badge>
  return (
    <>
      <Badge tone="warn">{words.partlyShipped}</Badge>{' '}
      <small>{statuses.map((status) => words.deliveryStatus[status]).join(' · ')}</small>
    </>
  )
}
