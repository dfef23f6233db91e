import { useQuery, useQueryClient } from '@tanstack/react-query'
import { consoleApi } from '../../api/console.ts'
import { useStore } from '../../api/store.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { AssistantList } from './AssistantList.tsx'
import styles from './Assistants.module.css'
import { useAssistantWords } from './assistant-words.ts'

/** For owners: the assistants that people have connected to the store. Nothing, if there is none. */
export const StoreAssistants = () => {
  const words = useAssistantWords()
  const { store } = useStore()
  const queries = useQueryClient()
  const queryKey = [store.id, 'assistants']
  const { data, error } = useQuery({ queryKey, queryFn: () => consoleApi.storeAssistants(store.id) })
  if (!error && !data?.assistants.length) return null
  return (
    <section className={styles.section}>
      <h2>{words.ofStore}</h2>
      <p className={styles.help}>{words.ofStoreHelp}</p>
      <Surface>
        <Problem error={error ?? undefined} />
        {data && (
          <AssistantList
            assistants={data.assistants}
            isCounted={data.is_counted}
            ofStore
            cutOff={(id) => consoleApi.cutOffStoreAssistant(store.id, id)}
            onChanged={() => queries.invalidateQueries({ queryKey })}
          />
        )}
      </Surface>
    </section>
  )
}
