import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useStore } from '../../api/store.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Money } from '../../components/Money.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { When } from '../../components/When.tsx'
import type { Plan } from './plan.ts'
import { usePlanWords } from './words.ts'

/** Says what switching to a plan means, as a dry run computes it, before it is done. */
export const SwitchDialog = ({ plan, isCurrent, onClose }: { plan: Plan; isCurrent: boolean; onClose: () => void }) => {
  const words = usePlanWords()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const { data: effect, error } = useQuery({
    queryKey: [store.id, 'plan', 'dry-run', plan.id],
    queryFn: () => client.plans.switch({ plan_id: plan.id }, { dryRun: true }),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  const create = useCreate((body: { plan_id: string }, options: { idempotencyKey: string }) =>
    client.plans.switch(body, options),
  )
  const isLater = effect !== undefined && Date.parse(effect.effective_at) > Date.now() + 60_000
  return (
    <Confirm
      title={isCurrent ? words.keepAsk(plan.name) : words.switchAsk(plan.name)}
      act={isCurrent ? words.keep : words.choose}
      onClose={onClose}
      onConfirm={async () => {
        const done = await create({ plan_id: plan.id })
        toast(Date.parse(done.effective_at) > Date.now() + 60_000 ? words.planned : words.switched)
        await queries.invalidateQueries({ queryKey: [store.id, 'plan'] })
        await queries.invalidateQueries({ queryKey: [store.id, 'invoices'] })
      }}
      more={
        <>
          {effect && !isCurrent && (
            <p>
              {effect.amount > 0 ? (
                <>
                  {words.toPay}:{' '}
                  <strong>
                    <Money amount={effect.amount} currency={effect.currency} />
                  </strong>
                </>
              ) : (
                words.nothingToPay
              )}
            </p>
          )}
          <Problem error={error ?? undefined} />
        </>
      }
    >
      {!effect && !error && words.calculating}
      {effect && isCurrent && words.cancels}
      {effect && !isCurrent && !isLater && words.now}
      {effect && !isCurrent && isLater && (
        <>
          {words.later} <When at={effect.effective_at} zone={store.time_zone} day />
        </>
      )}
    </Confirm>
  )
}
