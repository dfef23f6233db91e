import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bot, Copy } from 'lucide-react'
import { type AssistantInfo, consoleApi } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { TextField } from '../../components/Field.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useMessages } from '../../messages/messages.ts'
import { AssistantList } from './AssistantList.tsx'
import styles from './Assistants.module.css'
import { useAssistantWords } from './assistant-words.ts'

const KEY = ['assistants']

const Addresses = ({ stores }: Pick<AssistantInfo, 'stores'>) => {
  const words = useAssistantWords()
  const { controls } = useMessages()
  const toast = useToast()
  const copy = (address: string) =>
    navigator.clipboard.writeText(address).then(
      () => toast(controls.copied),
      () => toast(controls.failed, { bad: true }),
    )
  return (
    <ul className={styles.addresses}>
      {stores.map(({ id, name, address, may_connect }) => (
        <li key={id}>
          <div>
            <TextField
              label={words.address(name)}
              dir="ltr"
              readOnly
              value={address}
              onFocus={({ target }) => target.select()}
            />
            <Button icon={<Copy />} aria-label={`${words.copy}: ${name}`} onClick={() => copy(address)} />
          </div>
          {!may_connect && <p className={styles.help}>{words.mayNot}</p>}
        </li>
      ))}
    </ul>
  )
}

/** The assistants of the signed-in person: how to connect one, and those that are connected. */
const AssistantsPage = () => {
  const words = useAssistantWords()
  const queries = useQueryClient()
  const query = useQuery({ queryKey: KEY, queryFn: consoleApi.assistants })
  const { stores = [], assistants = [], is_counted = false } = query.data ?? {}
  return (
    <Page title={words.title}>
      <div className={styles.page}>
        <p className={styles.help}>{words.help}</p>
        <Loaded query={query}>
          <section className={styles.section}>
            <h2>{words.connected}</h2>
            <Surface>
              {assistants.length === 0 && (
                <Empty title={words.none} icon={<Bot />}>
                  {words.noneHelp}
                </Empty>
              )}
              <AssistantList
                assistants={assistants}
                isCounted={is_counted}
                cutOff={consoleApi.cutOffAssistant}
                onChanged={() => queries.invalidateQueries({ queryKey: KEY })}
              />
            </Surface>
          </section>
          <section className={styles.section}>
            <h2>{words.howTitle}</h2>
            <Surface padded>
              <p>{stores.length === 0 ? words.noStores : words.addressHelp}</p>
              <Addresses stores={stores} />
              <ol className={styles.how}>
                {words.how.map((step) => (
                  <li key={step}>{step}</li>
                ))}
              </ol>
            </Surface>
          </section>
        </Loaded>
      </div>
    </Page>
  )
}

export default AssistantsPage
