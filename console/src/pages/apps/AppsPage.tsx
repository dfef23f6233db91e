import { useQuery } from '@tanstack/react-query'
import { Blocks, Download, ExternalLink } from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { base } from '../../base-url.ts'
import { Badge } from '../../components/Badge.tsx'
import { Empty } from '../../components/Empty.tsx'
import { LinkButton } from '../../components/LinkButton.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { When } from '../../components/When.tsx'
import { useWords } from '../../messages/messages.ts'
import { AppIcon } from './AppIcon.tsx'
import styles from './Apps.module.css'
import { appPath, appWords, consentPath, openPath, type StoreApp } from './app.ts'
import { useRequests } from './PermissionRequest.tsx'
import { StoreAssistants } from './StoreAssistants.tsx'
import { useAppsTitle } from './title.ts'
import { useAppWords } from './words.ts'

/** What has to be known of an app at once. */
export const StateBadges = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const isAsking = useRequests().some(({ installation_id }) => installation_id === app.install_id)
  return (
    <>
      {app.state === 'disabled' && <Badge tone="bad">{words.disabled}</Badge>}
      {app.state !== 'disabled' && (app.pending.length > 0 || isAsking) && (
        <Badge tone="accent">{words.wantsMore}</Badge>
      )}
    </>
  )
}

/** Opens an app in the console, or one without an embedded page in a tab of its own. */
export const OpenLink = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const { store, can } = useStore()
  const { language } = useWords()
  if (!app.install_id || app.state === 'disabled' || app.url === '' || !can('app:boot')) return null
  const tab = app.embed_url ? {} : { target: '_blank', rel: 'noopener' }
  return (
    <LinkButton
      href={base + openPath(store.id, app.client_id)}
      {...tab}
      icon={app.embed_url ? undefined : <ExternalLink />}
      aria-label={`${words.open}: ${appWords(app, language).name}`}
    >
      {words.open}
    </LinkButton>
  )
}

const Row = ({ app }: { app: StoreApp }) => {
  const words = useAppWords()
  const { store, can } = useStore()
  const { language } = useWords()
  const { name, description } = appWords(app, language)
  return (
    <li>
      <AppIcon icon={app.icon} name={name} />
      <div>
        <span className={styles.name}>
          <Link href={appPath(store.id, app.client_id)}>
            <bdi>{name}</bdi>
          </Link>
          <StateBadges app={app} />
        </span>
        {description && <p dir="auto">{description}</p>}
        <small>
          {app.developer ? words.by(app.developer) : words.byOperator}
          {app.install_id && (
            <>
              {' · '}
              {app.last_used_at ? (
                <>
                  {words.lastUse} <When at={app.last_used_at} zone={store.time_zone} />
                </>
              ) : (
                words.neverUsed
              )}
            </>
          )}
        </small>
      </div>
      <OpenLink app={app} />
      {!app.install_id && can('app:install') && (
        <LinkButton
          href={base + consentPath(store.id, app.client_id)}
          icon={<Download />}
          aria-label={`${words.install}: ${name}`}
        >
          {words.install}
        </LinkButton>
      )}
    </li>
  )
}

const Section = ({ title, apps, empty }: { title: string; apps: readonly StoreApp[]; empty: React.ReactNode }) => (
  <section className={styles.section}>
    <h2>{title}</h2>
    <Surface>
      {apps.length === 0 && empty}
      <ul className={styles.apps}>
        {apps.map((app) => (
          <Row key={app.id} app={app} />
        ))}
      </ul>
    </Surface>
  </section>
)

const AppsPage = () => {
  const words = useAppWords()
  const title = useAppsTitle()
  const { store, client } = useStore()
  const query = useQuery({ queryKey: [store.id, 'apps'], queryFn: ({ signal }) => client.apps.list({ signal }) })
  const installed = query.data?.filter(({ install_id }) => install_id) ?? []
  const available = query.data?.filter(({ install_id }) => !install_id) ?? []
  return (
    <Page title={title}>
      <p className={styles.help}>{words.help}</p>
      <Loaded query={query}>
        <Section
          title={words.installed}
          apps={installed}
          empty={
            <Empty title={words.noneInstalled} icon={<Blocks />}>
              {words.noneInstalledHelp}
            </Empty>
          }
        />
        <Section title={words.available} apps={available} empty={<Empty title={words.noneAvailable} />} />
        {store.role !== 'staff' && <StoreAssistants />}
      </Loaded>
    </Page>
  )
}

export default AppsPage
