import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { developerApi, type InstallationUseInfo } from '../../api/developer.ts'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Table } from '../../components/Table.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { useDeveloperMessages, withDeveloperMessages } from '../../messages/developer/developer.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'

type Use = InstallationUseInfo['permissions'][number]

const isUnused = ({ is_granted, used, is_for_events }: Use) => is_granted && used === 0 && !is_for_events

const State = ({ use }: { use: Use }) => {
  const words = useDeveloperMessages()
  if (!use.is_granted) return <Badge tone="bad">{words.notGranted}</Badge>
  if (isUnused(use)) return <Badge tone="warn">{words.unused}</Badge>
  return <Badge tone="good">{use.used === 0 ? words.forEvents : words.used}</Badge>
}

const Installation = ({ installation, app }: { installation: InstallationUseInfo; app: string }) => {
  const words = useDeveloperMessages()
  const { locale } = useWords()
  const number = (value: number) => numberFormat(locale).format(value)
  return (
    <Surface>
      <p className={styles.note}>
        <strong>
          <bdi>{installation.store}</bdi>
        </strong>{' '}
        {words.since} <When at={installation.since} day />
      </p>
      <Table
        caption={installation.store}
        rows={installation.permissions}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        href={() => `/apps/${app}/log?store=${installation.store_id}`}
        columns={[
          { id: 'name', label: words.permissionName, cell: ({ name }) => <Ltr>{name}</Ltr> },
          { id: 'state', label: words.state, cell: (use) => <State use={use} /> },
          { id: 'used', label: words.used, align: 'end', cell: ({ used }) => number(used) },
          { id: 'refused', label: words.refused, align: 'end', wide: true, cell: ({ refused }) => number(refused) },
          {
            id: 'last',
            label: words.lastUse,
            wide: true,
            cell: ({ last_used_at }) => (last_used_at ? <When at={last_used_at} /> : '–'),
          },
        ]}
      />
    </Surface>
  )
}

/** What the app may do in each store, and what it does. */
const PermissionsPage = () => {
  const messages = useMessages()
  const words = useDeveloperMessages()
  const app = useAppId()
  const toast = useToast()
  const queries = useQueryClient()
  const { params, change } = useAddress()
  const [asks, ask] = useState(false)
  const days = params.get('days') === '30' ? 30 : 90
  const { data, error } = useQuery({
    queryKey: ['developer', app, 'permissions', days],
    queryFn: () => developerApi.permissions(app, days),
  })
  const renew = () => queries.invalidateQueries({ queryKey: ['developer', app, 'permissions'] })
  const unused = (data?.is_counted ? data.installations : []).flatMap(({ id, store, permissions }) => {
    const names = permissions.filter(isUnused).map(({ name }) => name)
    return names.length > 0 ? [{ id, store, permissions: names }] : []
  })
  const count = unused.reduce((sum, { permissions }) => sum + permissions.length, 0)
  const undo = (ids: string[]) =>
    developerApi.restore(app, ids).then(
      async ({ restored }) => {
        toast(words.restored(restored))
        await renew()
      },
      (error) => toast(describeError(error, messages).message, { bad: true }),
    )
  const revoke = async () => {
    const given = unused.map(({ id, permissions }) => ({ id, permissions }))
    const { revoked, undo: ids } = await developerApi.revoke(app, given)
    toast(words.revoked(revoked), { action: { label: words.undo, run: () => void undo(ids) } })
    await renew()
  }
  return (
    <AppFrame
      section="permissions"
      actions={count > 0 && <Button onClick={() => ask(true)}>{words.revokeUnused(count)}</Button>}
    >
      <Surface>
        <div className={styles.filters}>
          <SelectField
            label={words.period}
            value={String(days)}
            choices={[30, 90].map((value) => ({ value: String(value), label: words.days(value) }))}
            onChange={({ target }) => change({ days: target.value })}
          />
        </div>
        <p className={styles.note}>{data?.is_counted === false ? words.notCounted : words.permissionsHelp}</p>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={8} />}
        {data?.installations.length === 0 && <Empty title={words.noInstallations}>{words.noInstallationsHelp}</Empty>}
      </Surface>
      {data?.installations.map((installation) => (
        <Installation key={installation.id} installation={installation} app={app} />
      ))}
      {asks && (
        <Confirm
          title={words.revokeAsk(count)}
          act={words.revoke}
          danger
          onClose={() => ask(false)}
          onConfirm={revoke}
          more={
            <ul>
              {unused.map(({ id, store, permissions }) => (
                <li key={id}>
                  <bdi>{store}</bdi>: <Ltr>{permissions.join(', ')}</Ltr>
                </li>
              ))}
            </ul>
          }
        >
          {words.revokeHelp}
        </Confirm>
      )}
    </AppFrame>
  )
}

export default withDeveloperMessages(PermissionsPage)
