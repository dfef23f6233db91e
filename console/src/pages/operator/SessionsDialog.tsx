import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AccountRow, operatorApi } from '../../api/console.ts'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { When } from '../../components/When.tsx'
import { describeAgent } from '../account/describe-agent.ts'
import styles from './SessionsDialog.module.css'
import { useOperatorWords } from './words.ts'

interface SessionsDialogProps {
  account: AccountRow
  /** Runs an action, and shows its outcome. */
  attempt: (act: () => Promise<unknown>, done: string) => Promise<unknown>
  onClose: () => void
}

/** Where a person is signed in: device, start and last use, each with a button that ends it. */
export const SessionsDialog = ({ account, attempt, onClose }: SessionsDialogProps) => {
  const words = useOperatorWords()
  const queries = useQueryClient()
  const queryKey = ['service', 'sessions', account.id]
  const query = useQuery({ queryKey, queryFn: () => operatorApi.sessions(account.id) })
  const [ending, setEnding] = useState<string>()
  const end = async (id: string) => {
    await attempt(() => operatorApi.endSession(account.id, id), words.sessionEnded)
    await queries.invalidateQueries({ queryKey })
  }
  return (
    <Dialog title={words.sessions} onClose={onClose}>
      <p>
        {words.sessionsOf} <Ltr>{account.email}</Ltr>
      </p>
      <Loaded query={query}>
        {query.data?.sessions.length === 0 && <p>{words.noSessions}</p>}
        <ul className={styles.sessions}>
          {query.data?.sessions.map(({ id, agent, created_at, used_at, is_current }) => (
            <li key={id}>
              <div className={styles.device}>
                <span title={agent}>
                  <bdi dir="ltr">{describeAgent(agent)}</bdi>
                </span>
                <small>
                  {words.lastUsed} <When at={used_at} /> · {words.startedAt} <When at={created_at} />
                </small>
              </div>
              {is_current ? (
                <Badge tone="good">{words.thisSession}</Badge>
              ) : (
                <Button onClick={() => setEnding(id)}>{words.endSession}</Button>
              )}
            </li>
          ))}
        </ul>
      </Loaded>
      {ending && (
        <Confirm
          title={words.endSessionAsk}
          act={words.endSession}
          danger
          onClose={() => setEnding(undefined)}
          onConfirm={() => end(ending)}
        >
          {words.endSessionHelp}
        </Confirm>
      )}
    </Dialog>
  )
}
