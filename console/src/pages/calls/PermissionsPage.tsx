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
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'
import { useDeveloperWords } from '../developer/words.ts'

type Use = InstallationUseInfo['permissions'][number]

const isUnused = ({ is_granted, used, is_for_events }: Use) => is_granted && used === 0 && !is_for_events

type Request = InstallationUseInfo['request']

const State = ({ use, request }: { use: Use; request: Request }) => {
  const words = useDeveloperWords()
  if (!use.is_granted) {
    const isAsked = request?.permissions.includes(use.name)
    if (!isAsked) return <Badge tone="bad">{words.notGranted}</Badge>
    return <Badge tone="warn">{request?.again_at ? words.declined : words.waits}</Badge>
  }
  if (isUnused(use)) return <Badge tone="warn">{words.unused}</Badge>
  return <Badge tone="good">{use.used === 0 ? words.forEvents : words.used}</Badge>
}

/** What calls were refused for want of; an app with a manifest may ask for what that names. */
const refusedOf = ({ permissions, request }: InstallationUseInfo, named: readonly string[] | undefined) => {
  const lacked = permissions.filter(({ is_granted, refused }) => !is_granted && refused > 0).map(({ name }) => name)
  const unnamed = named ? lacked.filter((name) => !named.includes(name)) : []
  const isTooEarly = request?.again_at && Date.parse(request.again_at) > Date.now()
  const waits = request && !request.again_at ? request.permissions : []
  const askable = lacked.filter((name) => !unnamed.includes(name) && !waits.includes(name))
  // A request takes the place of the one before.
  return { unnamed, askable: isTooEarly || askable.length === 0 ? [] : [...waits, ...askable] }
}

interface InstallationProps {
  installation: InstallationUseInfo
  app: string
  /** In the manifest of the app; undefined if it has none. */
  named: readonly string[] | undefined
  onAsk: (permissions: string[]) => void
}

const Installation = ({ installation, app, named, onAsk }: InstallationProps) => {
  const words = useDeveloperWords()
  const { locale } = useWords()
  const number = (value: number) => numberFormat(locale).format(value)
  const { unnamed, askable } = refusedOf(installation, named)
  return (
    <Surface>
      <div className={styles.heads}>
        <p>
          <strong>
            <bdi>{installation.store}</bdi>
          </strong>{' '}
          {words.since} <When at={installation.since} day />
        </p>
        {askable.length > 0 && (
          <Button aria-label={`${words.askFor(askable.length)}: ${installation.store}`} onClick={() => onAsk(askable)}>
            {words.askFor(askable.length)}
          </Button>
        )}
      </div>
      <Table
        caption={installation.store}
        rows={installation.permissions}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        href={() => `/apps/${app}/log?store=${installation.store_id}`}
        columns={[
          { id: 'name', label: words.permissionName, cell: ({ name }) => <Ltr>{name}</Ltr> },
          { id: 'state', label: words.state, cell: (use) => <State use={use} request={installation.request} /> },
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
      {unnamed.length > 0 && <p className={styles.note}>{words.notInManifest(unnamed.join(', '))}</p>}
    </Surface>
  )
}

type Revoked = Awaited<ReturnType<typeof developerApi.permissions>>['revoked']

/** What was taken away lately, each with its way back. */
const TakenBack = ({ revoked, onUndo }: { revoked: Revoked; onUndo: (id: string) => Promise<unknown> }) => {
  const words = useDeveloperWords()
  if (revoked.length === 0) return null
  return (
    <Surface>
      <h2 className={styles.heading}>{words.takenBack}</h2>
      <ul>
        {revoked.map(({ undo, at, store, permissions }) => (
          <li key={undo} className={styles.heads}>
            <p>
              <strong>
                <bdi>{store}</bdi>
              </strong>{' '}
              <Ltr>{permissions.join(', ')}</Ltr> <When at={at} />
            </p>
            <Button aria-label={`${words.giveBack}: ${store}`} onClick={() => onUndo(undo)}>
              {words.giveBack}
            </Button>
          </li>
        ))}
      </ul>
    </Surface>
  )
}

/** What the app may do in each store, and what it does. */
const PermissionsPage = () => {
  const messages = useMessages()
  const words = useDeveloperWords()
  const app = useAppId()
  const toast = useToast()
  const queries = useQueryClient()
  const { params, change } = useAddress()
  const [asks, ask] = useState(false)
  const [wanted, want] = useState<{ installation: InstallationUseInfo; permissions: string[] }>()
  const days = params.get('days') === '30' ? 30 : 90
  const { data, error } = useQuery({
    queryKey: ['developer', app, 'permissions', days],
    queryFn: () => developerApi.permissions(app, days),
  })
  const { data: known } = useQuery({ queryKey: ['developer', app], queryFn: () => developerApi.app(app) })
  const asked = known?.app.asks
  const named = asked ? [...asked.required, ...asked.optional] : undefined
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
    toast(words.revoked(revoked), { action: { label: words.undo, run: () => undo(ids) } })
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
      {data && <TakenBack revoked={data.revoked} onUndo={(id) => undo([id])} />}
      {known &&
        data?.installations.map((installation) => (
          <Installation
            key={installation.id}
            installation={installation}
            app={app}
            named={named}
            onAsk={(permissions) => want({ installation, permissions })}
          />
        ))}
      {wanted && (
        <Confirm
          title={words.askStore(wanted.installation.store)}
          act={words.ask}
          onClose={() => want(undefined)}
          onConfirm={async () => {
            await developerApi.askForPermissions(app, wanted.installation.id, wanted.permissions)
            toast(words.asked)
            await renew()
          }}
          more={
            <ul>
              {wanted.permissions.map((name) => (
                <li key={name}>
                  <Ltr>{name}</Ltr>
                </li>
              ))}
            </ul>
          }
        >
          {words.askHelp}
        </Confirm>
      )}
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

export default PermissionsPage
