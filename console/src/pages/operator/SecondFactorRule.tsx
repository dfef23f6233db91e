import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { operatorApi, type SecondFactorRule as Rule } from '../../api/console.ts'
import { SelectField } from '../../components/Field.tsx'
import { Surface } from '../../components/Page.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import styles from './ServiceList.module.css'
import { useOperatorWords } from './words.ts'

const CHOICES = ['nobody', 'operators', 'everybody'] as const satisfies readonly Rule['second_factor'][]

/** Who must have a second factor on this service. Takes effect at once. */
export const SecondFactorRule = ({
  attempt,
}: {
  attempt: (act: () => Promise<unknown>, done: string, undo?: () => unknown) => Promise<unknown>
}) => {
  const words = useOperatorWords()
  const queries = useQueryClient()
  const queryKey = ['service', 'second-factor']
  const { data } = useQuery({ queryKey, queryFn: operatorApi.secondFactor })
  const [chosen, choose] = useState<string>()
  if (!data)
    return (
      <Surface padded>
        <Skeleton lines={2} />
      </Surface>
    )
  const change = async (value: string) => {
    const of = CHOICES.find((choice) => choice === value)
    if (!of) return
    choose(of)
    const before = data.second_factor
    await attempt(
      () => operatorApi.requireSecondFactor(of),
      words.saved,
      () => change(before),
    )
    await queries.invalidateQueries({ queryKey })
    choose(undefined)
  }
  return (
    <Surface>
      <div className={styles.rule}>
        <SelectField
          label={words.requireFactor}
          help={words.requireHelp}
          value={chosen ?? data.second_factor}
          disabled={chosen !== undefined}
          choices={CHOICES.map((value) => ({ value, label: words.requiredOf[value] }))}
          onChange={({ target }) => change(target.value)}
        />
      </div>
    </Surface>
  )
}
