import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { consoleApi, type PermissionRequestInfo } from '../../api/console.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Surface } from '../../components/Page.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import styles from './Apps.module.css'
import { PermissionList, PermissionSwitches } from './PermissionList.tsx'
import { useRequestWords } from './request-words.ts'

/** What developers ask this store for, if the person may decide about it. */
export const useRequests = () => {
  const { store, can } = useStore()
  const { data } = useQuery({
    queryKey: [store.id, 'permission-requests'],
    queryFn: () => consoleApi.permissionRequests(store.id),
    enabled: can('app:install'),
  })
  return data?.requests ?? []
}

/** What the developers of an app ask for, because its calls were refused. */
export const PermissionRequest = ({ request, name }: { request: PermissionRequestInfo; name: string }) => {
  const words = useRequestWords()
  const { store, can } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [asks, ask] = useState<'grant' | 'decline'>()
  const [chosen, choose] = useState(() => request.permissions.filter(can))
  const close = () => ask(undefined)
  const decide = async (permissions: readonly string[]) => {
    await run(() => consoleApi.decidePermissions(store.id, request.installation_id, permissions))
    toast(permissions.length > 0 ? words.granted(permissions.length) : words.declined)
    await Promise.all([
      queries.invalidateQueries({ queryKey: [store.id, 'permission-requests'] }),
      queries.invalidateQueries({ queryKey: [store.id, 'apps'] }),
    ])
  }
  return (
    <Surface padded>
      <h2>{words.title}</h2>
      <p>{words.because(request.asked_by)}</p>
      <PermissionList names={request.permissions} />
      <div className={styles.decision}>
        <Button kind="primary" onClick={() => ask('grant')}>
          {words.grant}
        </Button>
        <Button onClick={() => ask('decline')}>{words.decline}</Button>
      </div>
      {asks === 'grant' && (
        <Confirm
          title={words.grantAsk(name)}
          act={words.grant}
          onClose={close}
          onConfirm={() => decide(chosen)}
          more={<PermissionSwitches names={request.permissions} chosen={chosen} mayGrant={can} onChange={choose} />}
        >
          {words.grantHelp}
        </Confirm>
      )}
      {asks === 'decline' && (
        <Confirm title={words.declineAsk(name)} act={words.decline} danger onClose={close} onConfirm={() => decide([])}>
          {words.declineHelp}
        </Confirm>
      )}
      {dialog}
    </Surface>
  )
}
