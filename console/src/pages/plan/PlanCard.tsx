import { Badge } from '../../components/Badge.tsx'
import { Money } from '../../components/Money.tsx'
import { useMessages, useWords } from '../../messages/messages.ts'
import { formatLimit, LIMIT_NAMES, type Plan } from './plan.ts'
import { usePlanWords } from './words.ts'

export const Price = ({ plan: { price, currency, period } }: { plan: Pick<Plan, 'price' | 'currency' | 'period'> }) => {
  const words = usePlanWords()
  if (price === 0) return <>{words.free}</>
  return (
    <>
      <Money amount={price} currency={currency} /> {words.per[period]}
    </>
  )
}

export const PlanCard = ({
  plan,
  isCurrent = false,
  badge,
  children,
}: {
  plan: Plan
  isCurrent?: boolean
  badge?: string | undefined
  children?: React.ReactNode
}) => {
  const words = usePlanWords()
  const { problems } = useMessages()
  const { locale } = useWords()
  const limited = LIMIT_NAMES.filter((name) => plan.limits[name] !== undefined)
  return (
    <li data-current={isCurrent || undefined}>
      <h3>
        <bdi>{plan.name}</bdi>
        {badge && <Badge tone={isCurrent ? 'accent' : 'plain'}>{badge}</Badge>}
      </h3>
      <p>
        <Price plan={plan} />
      </p>
      {limited.length === 0 ? (
        <p>{words.noLimits}</p>
      ) : (
        <dl>
          {limited.map((name) => (
            <div key={name}>
              <dt>{problems.limitNames[name]}</dt>
              <dd>{formatLimit(locale, name, plan.limits[name] ?? 0)}</dd>
            </div>
          ))}
        </dl>
      )}
      <div>{children}</div>
    </li>
  )
}
