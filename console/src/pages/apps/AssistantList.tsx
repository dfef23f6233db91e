import { useState } from 'react'
import type { ConnectedAssistant } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useToast } from '../../components/Toast.tsx'
import { When } from '../../components/When.tsx'
import styles from './Assistants.module.css'
import { useAssistantWords } from './assistant-words.ts'
import { PermissionList } from './PermissionList.tsx'

interface ListProps {
  assistants: readonly ConnectedAssistant[]
  isCounted: boolean
  /** Whether they are those of several people. */
  ofStore?: boolean
  cutOff: (id: string) => Promise<unknown>
  onChanged: () => Promise<unknown>
}

/** Connected assistants: whose, where, what they may do, when they were used. Each can be cut off. */
export const AssistantList = ({ assistants, isCounted, ofStore = false, cutOff, onChanged }: ListProps) => {
  const words = useAssistantWords()
  const toast = useToast()
  const [asked, setAsked] = useState<ConnectedAssistant>()
  return (
    <>
      <ul className={styles.list}>
        {assistants.map((one) => (
          <li key={one.id}>
            <div className={styles.head}>
              <div>
                <strong>
                  <bdi>{one.name}</bdi>
                </strong>
                <p>
                  {ofStore ? (
                    <>
                      {words.by} <bdi>{one.person}</bdi>
                    </>
                  ) : (
                    <bdi>{one.store}</bdi>
                  )}{' '}
                  {words.since} <When at={one.connected_at} />
                </p>
                <p>
                  {one.last_used_at ? (
                    <>
                      {words.lastUse} <When at={one.last_used_at} />
                    </>
                  ) : (
                    words.never
                  )}
                  {isCounted && ` · ${words.calls(one.calls)}`}
                </p>
                <p>
                  <Ltr>{new URL(one.client_id).host}</Ltr>
                </p>
              </div>
              <Button kind="danger" aria-label={`${words.cutOff}: ${one.name}`} onClick={() => setAsked(one)}>
                {words.cutOff}
              </Button>
            </div>
            {one.permissions.length === 0 ? (
              <p>{words.nothing}</p>
            ) : (
              <details>
                <summary>{words.may}</summary>
                <PermissionList names={one.permissions} />
              </details>
            )}
          </li>
        ))}
      </ul>
      {asked && (
        <Confirm
          title={words.cutOffAsk(asked.name)}
          act={words.cutOff}
          danger
          onConfirm={async () => {
            await cutOff(asked.id)
            await onChanged()
            toast(words.done)
          }}
          onClose={() => setAsked(undefined)}
        >
          {words.cutOffHelp}
        </Confirm>
      )}
    </>
  )
}
