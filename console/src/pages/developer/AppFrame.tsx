import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { developerApi } from '../../api/developer.ts'
import { Badge } from '../../components/Badge.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Page } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import styles from './Developer.module.css'
import { useDeveloperWords } from './words.ts'

const SECTIONS = ['log', 'errors', 'permissions', 'retries', 'webhooks', 'events', 'playground'] as const
type Section = (typeof SECTIONS)[number]

export const useAppId = () => useParams<{ id: string }>().id ?? ''

/** The heading and the sections of one app. */
export const AppFrame = ({
  section,
  actions,
  children,
}: {
  section: Section
  actions?: ReactNode
  children: ReactNode
}) => {
  const words = useDeveloperWords()
  const id = useAppId()
  const { data, error } = useQuery({ queryKey: ['developer', id], queryFn: () => developerApi.app(id) })
  const name = data?.app.name ?? words.app
  return (
    <Page
      title={<bdi>{name}</bdi>}
      name={`${words.sections[section]} · ${name}`}
      back={{ href: '/developer', label: words.title }}
      badges={data?.app.is_disabled && <Badge tone="warn">{words.disabled}</Badge>}
      actions={actions}
    >
      {data && (
        <p className={styles.help}>
          <Ltr>{data.app.client_id}</Ltr>
        </p>
      )}
      <nav className={styles.sections} aria-label={words.app}>
        {SECTIONS.map((name) => (
          <Link key={name} href={`/apps/${id}/${name}`} aria-current={name === section ? 'page' : undefined}>
            {words.sections[name]}
          </Link>
        ))}
      </nav>
      <Problem error={error ?? undefined} />
      {children}
    </Page>
  )
}
