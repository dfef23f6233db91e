import { useQuery } from '@tanstack/react-query'
import { developerApi, type ErrorGroup } from '../../api/developer.ts'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Table } from '../../components/Table.tsx'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import { useDeveloperWords } from '../developer/words.ts'

const keyOf = ({ code, status, method, route, field, permission }: ErrorGroup) =>
  [code, status, method, route, field, permission].join(' ')

const logOf = (app: string, { code, method, route }: ErrorGroup) =>
  `/apps/${app}/log?${new URLSearchParams({ code, ...(method && { method }), ...(route && { route }) })}`

/** Failures of a week, grouped by what went wrong where. */
const ErrorsPage = () => {
  const words = useDeveloperWords()
  const { locale } = useWords()
  const app = useAppId()
  const { data, error } = useQuery({ queryKey: ['developer', app, 'errors'], queryFn: () => developerApi.errors(app) })
  const number = (value: number) => numberFormat(locale).format(value)
  return (
    <AppFrame section="errors">
      <Surface>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={8} />}
        {data?.errors.length === 0 && <Empty title={words.noErrors}>{words.noErrorsHelp}</Empty>}
        {data && data.errors.length > 0 && (
          <Table
            caption={words.sections.errors}
            rows={data.errors}
            keyOf={keyOf}
            nameOf={({ code }) => code}
            href={(group) => logOf(app, group)}
            columns={[
              { id: 'code', label: words.code, cell: ({ code }) => <Ltr>{code}</Ltr> },
              {
                id: 'where',
                label: words.call,
                wide: true,
                cell: ({ method, route }) => <Ltr>{`${method ?? ''} ${route ?? words.noRoute}`}</Ltr>,
              },
              {
                id: 'field',
                label: words.fields,
                cell: ({ field, permission }) => <Ltr>{field ?? permission}</Ltr>,
              },
              { id: 'count', label: words.count, align: 'end', cell: ({ count }) => number(count) },
              { id: 'stores', label: words.stores, align: 'end', wide: true, cell: ({ stores }) => number(stores) },
              { id: 'first', label: words.first, wide: true, cell: ({ first_at }) => <When at={first_at} /> },
              { id: 'last', label: words.last, wide: true, cell: ({ last_at }) => <When at={last_at} /> },
            ]}
          />
        )}
      </Surface>
    </AppFrame>
  )
}

export default ErrorsPage
