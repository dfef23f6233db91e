import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { When } from '../../components/When.tsx'
import { useMessages, useWords } from '../../messages/messages.ts'
import { InvoiceRows } from '../invoices/InvoiceRows.tsx'
import styles from './Plan.module.css'
import { PlanCard, Price } from './PlanCard.tsx'
import { formatLimit, LIMIT_NAMES, type LimitName, type Plan, type Plans } from './plan.ts'
import { SwitchDialog } from './SwitchDialog.tsx'
import { usePlanTitle } from './title.ts'
import { usePlanWords } from './words.ts'

/** From this part of a limit on, the page warns. */
const NEAR = 0.8

const Use = ({ name, used, limit }: { name: LimitName; used: number; limit: number }) => {
  const words = usePlanWords()
  const { problems } = useMessages()
  const { locale } = useWords()
  const show = (count: number) => formatLimit(locale, name, count)
  const isReached = used >= limit
  return (
    <li>
      <span>
        <strong>{problems.limitNames[name]}</strong>
        {isReached && <Badge tone="bad">{words.reached}</Badge>}
        {!isReached && used >= limit * NEAR && <Badge tone="warn">{words.near}</Badge>}
      </span>
      <meter
        aria-label={problems.limitNames[name]}
        min={0}
        max={Math.max(limit, 1)}
        high={limit * NEAR}
        optimum={0}
        value={limit === 0 ? 1 : Math.min(used, limit)}
      />
      <bdi>{problems.usedOf(show(used), show(limit))}</bdi>
    </li>
  )
}

const Current = ({ plan, plans }: { plan: Plan | undefined; plans: Plans }) => {
  const words = usePlanWords()
  const { store } = useStore()
  const { subscription, use } = plans
  if (!plan || !subscription)
    return (
      <Surface padded>
        <p>{words.noPlanYet}</p>
      </Surface>
    )
  const next = plans.plans.find(({ id }) => id === subscription.next_plan_id)
  const limited = LIMIT_NAMES.flatMap((name) => {
    const entry = name === 'calls' ? undefined : use[name]
    return entry ? [{ name, ...entry }] : []
  })
  return (
    <Surface padded>
      <p className={styles.current}>
        <strong dir="auto">{plan.name}</strong>
        <span>
          <Price plan={plan} />
        </span>
        <small>
          {words.until}: <When at={subscription.period_end} zone={store.time_zone} day />
        </small>
        {subscription.next_plan_id && <Badge tone="warn">{words.follows(next?.name ?? '')}</Badge>}
      </p>
      {limited.length > 0 && (
        <>
          <h2>{words.use}</h2>
          <ul className={styles.use}>
            {limited.map((entry) => (
              <Use key={entry.name} {...entry} />
            ))}
          </ul>
        </>
      )}
    </Surface>
  )
}

const PlanPage = () => {
  const words = usePlanWords()
  const title = usePlanTitle()
  const { store, client, can } = useStore()
  const [chosen, choose] = useState<Plan>()
  const query = useQuery({ queryKey: [store.id, 'plan'], queryFn: ({ signal }) => client.plans.list({ signal }) })
  const { data: plans } = query
  const subscription = plans?.subscription
  const current = plans?.plans.find(({ id }) => id === subscription?.plan_id)
  const isChangeable = (plan: Plan) =>
    can('plan:switch') &&
    (plan.id === current?.id ? subscription?.next_plan_id : plan.id !== subscription?.next_plan_id)
  return (
    <Page title={title}>
      <Loaded query={query}>
        {plans?.plans.length === 0 ? (
          <Surface>
            <Empty title={words.noPlans}>{words.noPlansHelp}</Empty>
          </Surface>
        ) : (
          plans && (
            <>
              <Current plan={current} plans={plans} />
              <section className={styles.section}>
                <h2>{words.offers}</h2>
                <ul className={styles.plans}>
                  {plans.plans.map((plan) => (
                    <PlanCard
                      key={plan.id}
                      plan={plan}
                      isCurrent={plan.id === current?.id}
                      badge={plan.id === current?.id ? words.current : undefined}
                    >
                      {isChangeable(plan) && (
                        <Button onClick={() => choose(plan)}>
                          {plan.id === current?.id ? words.keep : words.choose}
                          <span className="hidden"> {plan.name}</span>
                        </Button>
                      )}
                    </PlanCard>
                  ))}
                </ul>
              </section>
            </>
          )
        )}
      </Loaded>
      {can('invoice:view') && <InvoiceRows />}
      {chosen && <SwitchDialog plan={chosen} isCurrent={chosen.id === current?.id} onClose={() => choose(undefined)} />}
    </Page>
  )
}

export default PlanPage
