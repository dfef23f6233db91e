import { Badge } from '../../components/Badge.tsx'
import { Ltr } from '../../components/Ltr.tsx'

const toneOf = (status: number) => {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

export const Status = ({ status }: { status: number }) => (
  <Badge tone={toneOf(status)}>
    <Ltr>{status}</Ltr>
  </Badge>
)
