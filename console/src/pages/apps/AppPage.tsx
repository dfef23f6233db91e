import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { base } from '../../base-url.ts'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Empty } from '../../components/Empty.tsx'
import { LinkButton } from '../../components/LinkButton.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useToast } from '../../components/Toast.tsx'
import { When } from '../../components/When.tsx'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppIcon } from './AppIcon.tsx'
import styles from './Apps.module.css'
import { OpenLink, StateBadges } from './AppsPage.tsx'
import { appWords, consentPath, isClient, type StoreApp, webAddress } from './app.ts'
import { PermissionList } from './PermissionList.tsx'
import { PermissionRequest, useRequests } from './PermissionRequest.tsx'
import { useAppsTitle } from './title.ts'
import { useAppWords } from './words.ts'

const Links = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const links = [
    [words.website, webAddress(app.url)],
    [words.support, webAddress(app.support_url)],
    [words.privacy, webAddress(app.privacy_url)],
  ] as const
  return (
    <p className={styles.links}>
      {links.map(
        ([label, href]) =>
          href && (
            <a key={label} href={href} target="_blank" rel="noopener noreferrer">
              {label}
            </a>
          ),
      )}
    </p>
  )
}

const Facts = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const { store } = useStore()
  if (!app.installed_at) return null
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{words.installedAt}</dt>
        <dd>
          <When at={app.installed_at} zone={store.time_zone} />
        </dd>
      </div>
      <div>
        <dt>{words.lastUse}</dt>
        <dd>{app.last_used_at ? <When at={app.last_used_at} zone={store.time_zone} /> : words.neverUsed}</dd>
      </div>
    </dl>
  )
}

const WantsMore = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const { store, can } = useStore()
  if (app.pending.length === 0 || app.state === 'disabled') return null
  return (
    <div className={styles.more}>
      <span>{words.wantsMoreHelp(app.pending.length)}</span>
      {can('app:install') && (
        <LinkButton href={base + consentPath(store.id, app.client_id)}>{words.lookAtIt}</LinkButton>
      )}
    </div>
  )
}

const Uninstall = ({ app, name, onClose }: { app: StoreApp; name: string; onClose: () => void }) => {
  const words = useAppWords()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  return (
    <Confirm
      title={words.uninstallAsk(name)}
      act={words.uninstall}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await client.apps.deleteInstallation(app.client_id, { idempotencyKey })
        toast(words.uninstalled)
        navigate(`/s/${store.id}/apps`)
        await queries.invalidateQueries({ queryKey: [store.id, 'apps'] })
      }}
    >
      {words.uninstallHelp}
    </Confirm>
  )
}

const Details = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const title = useAppsTitle()
  const { store, can } = useStore()
  const { language } = useWords()
  const [isRemoving, setRemoving] = useState(false)
  const { name, description } = appWords(app, language)
  const asked = [...app.required, ...app.optional]
  const request = useRequests().find(({ installation_id }) => installation_id === app.install_id)
  const isChangeable = can('app:install') && app.state !== 'disabled' && asked.length > 0
  return (
    <Page
      title={<bdi>{name}</bdi>}
      name={name}
      back={{ href: `/s/${store.id}/apps`, label: title }}
      badges={<StateBadges app={app} />}
      actions={
        <>
          {app.install_id && can('app:uninstall') && (
            <Button kind="danger" icon={<Trash2 />} onClick={() => setRemoving(true)}>
              {words.uninstall}
            </Button>
          )}
          <OpenLink app={app} />
          {!app.install_id && can('app:install') && (
            <LinkButton kind="primary" icon={<Download />} href={base + consentPath(store.id, app.client_id)}>
              {words.install}
            </LinkButton>
          )}
        </>
      }
    >
      <Surface padded>
        <div className={styles.head}>
          <AppIcon icon={app.icon} name={name} />
          <div>
            <strong>{app.developer ? words.by(app.developer) : words.byOperator}</strong>
            {description && <p dir="auto">{description}</p>}
          </div>
        </div>
        {app.state === 'disabled' && <p>{words.disabledHelp}</p>}
        <WantsMore app={app} />
        <Facts app={app} />
        <Links app={app} />
      </Surface>
      {request && <PermissionRequest key={request.asked_at} request={request} name={name} />}
      <Surface padded>
        <h2>{words.permissions}</h2>
        {app.install_id && app.permissions.length === 0 && <p>{words.noPermissions}</p>}
        <PermissionList names={app.install_id ? app.permissions : app.required} />
        {app.install_id && isChangeable && (
          <p>
            <LinkButton href={base + consentPath(store.id, app.client_id)}>{words.changePermissions}</LinkButton>
          </p>
        )}
      </Surface>
      {isRemoving && <Uninstall app={app} name={name} onClose={() => setRemoving(false)} />}
    </Page>
  )
}

const AppPage = () => {
  const { controls } = useMessages()
  const title = useAppsTitle()
  const { store, client } = useStore()
  const { client: clientId = '' } = useParams<{ client: string }>()
  const query = useQuery({ queryKey: [store.id, 'apps'], queryFn: ({ signal }) => client.apps.list({ signal }) })
  const app = query.data?.find(isClient(clientId))
  if (app) return <Details app={app} />
  return (
    <Page title={title} back={{ href: `/s/${store.id}/apps`, label: title }}>
      <Loaded query={query}>
        <Empty title={controls.notFound}>{controls.notFoundHelp}</Empty>
      </Loaded>
    </Page>
  )
}

export default AppPage
