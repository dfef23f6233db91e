import { useQuery } from '@tanstack/react-query'
import { developerApi } from '../../api/developer.ts'
import { Badge } from '../../components/Badge.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Table } from '../../components/Table.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { useDeveloperWords } from './words.ts'

/** The apps that a person develops. */
const DeveloperPage = () => {
  const words = useDeveloperWords()
  const { locale } = useWords()
  const { data, error } = useQuery({ queryKey: ['developer'], queryFn: developerApi.apps })
  return (
    <Page title={words.title}>
      <Surface>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={5} />}
        {data?.apps.length === 0 && <Empty title={words.noApps}>{words.noAppsHelp}</Empty>}
        {data && data.apps.length > 0 && (
          <Table
            caption={words.title}
            rows={data.apps}
            keyOf={({ id }) => id}
            nameOf={({ name }) => name}
            href={({ id }) => `/apps/${id}/log`}
            columns={[
              {
                id: 'name',
                label: words.app,
                cell: ({ name, is_disabled }) => (
                  <>
                    <bdi>{name}</bdi> {is_disabled && <Badge tone="warn">{words.disabled}</Badge>}
                  </>
                ),
              },
              { id: 'client', label: words.clientId, wide: true, cell: ({ client_id }) => <Ltr>{client_id}</Ltr> },
              {
                id: 'installations',
                label: words.installations,
                align: 'end',
                cell: ({ installations }) => numberFormat(locale).format(installations),
              },
            ]}
          />
        )}
      </Surface>
    </Page>
  )
}

export default DeveloperPage
