import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CreditCard, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { type OperatorPlanInfo, operatorApi } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { CheckField, SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from '../plan/Plan.module.css'
import { PlanCard } from '../plan/PlanCard.tsx'
import { LIMIT_NAMES, type LimitName } from '../plan/plan.ts'
import { useServicePlanWords } from './plan-words.ts'
import { usePlansTitle } from './titles.ts'
import { useOperatorWords } from './words.ts'

const QUERY = ['service', 'plans']
const MEGABYTE = 1024 ** 2

type Values = Record<LimitName, string> & {
  name: string
  price: string
  currency: string
  period: 'month' | 'year'
  isOffered: boolean
}

const valuesOf = (plan: OperatorPlanInfo | undefined): Values => ({
  name: plan?.name ?? '',
  price: plan ? String(plan.price) : '',
  currency: plan?.currency ?? '',
  period: plan?.period ?? 'month',
  isOffered: plan?.is_offered ?? true,
  ...(Object.fromEntries(
    LIMIT_NAMES.map((name) => {
      const limit = plan?.limits[name]
      if (limit === undefined) return [name, '']
      return [name, String(name === 'storage' ? limit / MEGABYTE : limit)]
    }),
  ) as Record<LimitName, string>),
})

/** What is no number is sent as it was typed, so that the service names the field. */
const numberOf = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))

const limitsOf = (values: Values) =>
  Object.fromEntries(
    LIMIT_NAMES.filter((name) => values[name].trim() !== '').map((name) => [
      name,
      name === 'storage' ? Math.round(numberOf(values[name]) * MEGABYTE) : numberOf(values[name]),
    ]),
  )

const fieldOf = (name: LimitName) => `limits.${name}`

interface PlanFormProps {
  plan: OperatorPlanInfo | undefined
  run: ReturnType<typeof useStepUp>['run']
  onDone: () => unknown
  onClose: () => void
}

const PlanForm = ({ plan, run, onDone, onClose }: PlanFormProps) => {
  const messages = useMessages()
  const words = useServicePlanWords()
  const form = useForm(valuesOf(plan), async (changed, values) => {
    const { name, isOffered, currency, period } = values
    const price = numberOf(values.price)
    const limits = limitsOf(values)
    if (!plan)
      return run(() => operatorApi.createPlan({ name, price, limits, currency: currency.toUpperCase(), period }))
    const changes = {
      ...('name' in changed && { name }),
      ...('price' in changed && { price }),
      ...('isOffered' in changed && { is_offered: isOffered }),
      ...(LIMIT_NAMES.some((limit) => limit in changed) && { limits }),
    }
    if (Object.keys(changes).length > 0) await run(() => operatorApi.changePlan(plan.id, changes))
  })
  const errors = describeError(form.error ?? '', messages).fields
  return (
    <FormDialog
      title={plan ? words.edit : words.create}
      act={messages.controls.save}
      form={form}
      shown={['name', 'price', 'currency', 'period', ...LIMIT_NAMES.map(fieldOf)]}
      wide
      onDone={onDone}
      onClose={onClose}
    >
      <TextField label={words.name} dir="auto" maxLength={100} {...form.field('name')} />
      <div className={styles.pair}>
        <TextField label={words.price} inputMode="decimal" dir="ltr" {...form.field('price')} />
        {!plan && (
          <TextField
            label={words.currency}
            help={words.currencyHelp}
            dir="ltr"
            maxLength={3}
            {...form.field('currency')}
          />
        )}
        {!plan && (
          <SelectField
            label={words.period}
            choices={[
              { value: 'month', label: words.periods.month },
              { value: 'year', label: words.periods.year },
            ]}
            {...form.field('period')}
          />
        )}
      </div>
      <p>{words.limitsHelp}</p>
      <div className={styles.pair}>
        {LIMIT_NAMES.map((name) => (
          <TextField
            key={name}
            label={name === 'storage' ? words.storage : messages.problems.limitNames[name]}
            inputMode="numeric"
            dir="ltr"
            {...form.field(name)}
            errors={errors[fieldOf(name)]}
          />
        ))}
      </div>
      {plan && (
        <CheckField
          label={words.offered}
          checked={form.values.isOffered}
          onChange={(isOffered) => form.set({ isOffered })}
        />
      )}
    </FormDialog>
  )
}

/** What stores of this service can subscribe to. */
const PlansPage = () => {
  const title = usePlansTitle()
  const words = useServicePlanWords()
  const { saved } = useOperatorWords()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [edited, edit] = useState<{ plan: OperatorPlanInfo | undefined }>()
  const query = useQuery({ queryKey: QUERY, queryFn: () => operatorApi.plans() })
  const plans = query.data?.plans
  return (
    <Page
      title={title}
      actions={
        <Button kind="primary" icon={<Plus />} onClick={() => edit({ plan: undefined })}>
          {words.create}
        </Button>
      }
    >
      <p className={styles.help}>{words.plansHelp}</p>
      <Loaded query={query}>
        {plans?.length === 0 && (
          <Surface>
            <Empty title={words.empty} icon={<CreditCard />}>
              {words.emptyHelp}
            </Empty>
          </Surface>
        )}
        <h2 className="hidden">{title}</h2>
        <ul className={styles.plans}>
          {plans?.map((plan) => (
            <PlanCard key={plan.id} plan={plan} badge={plan.is_offered ? undefined : words.withdrawn}>
              <Button icon={<Pencil />} onClick={() => edit({ plan })}>
                {words.edit}
                <span className="hidden"> {plan.name}</span>
              </Button>{' '}
              <small>{words.stores(plan.stores)}</small>
            </PlanCard>
          ))}
        </ul>
      </Loaded>
      {edited && (
        <PlanForm
          plan={edited.plan}
          run={run}
          onDone={async () => {
            toast(saved)
            await queries.invalidateQueries({ queryKey: QUERY })
          }}
          onClose={() => edit(undefined)}
        />
      )}
      {dialog}
    </Page>
  )
}

export default PlansPage
