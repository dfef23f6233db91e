import { useQueryClient } from '@tanstack/react-query'
import { LayoutTemplate, PencilLine, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { CreateButton } from '../../components/CreateButton.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import { ListPage } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { loadable } from '../../components/loadable.tsx'
import type { Column } from '../../components/Table.tsx'
import { useDelete } from '../../components/useDelete.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './LandingPagePage.module.css'
import type { LandingPage } from './LandingPagePage.tsx'
import { readable } from './readable-url.ts'
import { useLandingPagesTitle } from './title.ts'
import { useFigures } from './useFigures.ts'
import { useLandingPageWords } from './words.ts'

const ChangeLandingPages = loadable(() => import('./ChangeLandingPages.tsx'))

const LandingPagesPage = () => {
  const words = useLandingPageWords()
  const { controls } = useMessages()
  const title = useLandingPagesTitle()
  const { store, client, can } = useStore()
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const deleteRows = useDelete()
  const figures = useFigures()
  const [changing, setChanging] = useState<Changing<LandingPage>>()
  const canChange = can('landing_page:update') && can('landing_page:publish')
  const remove = (rows: readonly LandingPage[]) =>
    deleteRows({
      rows: rows.map(({ id, title }) => ({ id, name: title })),
      read: client.landingPages.get,
      remove: client.landingPages.delete,
      done: controls.deletedCount(rows.length),
      renew: () => queries.invalidateQueries({ queryKey: [store.id, 'landing-pages'] }),
    })
  const columns: Column<LandingPage>[] = [
    {
      id: 'title',
      label: words.name,
      cell: ({ title }) => <bdi>{title}</bdi>,
      below: ({ product }) => <bdi>{product.title}</bdi>,
    },
    { id: 'product', label: words.product, wide: true, cell: ({ product }) => <bdi>{product.title}</bdi> },
    {
      id: 'address',
      label: words.address,
      wide: true,
      cell: ({ url }) => (
        <span className={styles.address} dir="ltr" title={readable(url)}>
          {readable(url)}
        </span>
      ),
    },
    {
      id: 'published',
      label: words.published,
      cell: ({ published_at }) =>
        published_at ? <Badge tone="good">{words.published}</Badge> : <Badge>{words.draft}</Badge>,
    },
    { id: 'language', label: words.language, wide: true, optional: true, cell: ({ lang }) => <Ltr>{lang ?? '–'}</Ltr> },
    { id: 'kind', label: words.kind, wide: true, optional: true, cell: ({ cod_type }) => words.kinds[cod_type] },
    {
      id: 'created',
      label: words.created,
      sort: 'created_at',
      wide: true,
      cell: ({ created_at }) => <When at={created_at} zone={store.time_zone} day />,
    },
    ...(figures
      ? [
          {
            id: 'orders',
            label: words.orders,
            align: 'end' as const,
            wide: true,
            cell: ({ id }: LandingPage) => figures.get(id)?.orders ?? 0,
          },
        ]
      : []),
  ]
  return (
    <>
      <ListPage<LandingPage>
        list="landing-pages"
        title={title}
        columns={columns}
        parameters={['product_id', 'domain_id', 'cod_type']}
        filters={[
          {
            id: 'cod_type',
            label: words.kind,
            kind: 'choice',
            choices: Object.entries(words.kinds).map(([value, label]) => ({ value, label })),
          },
        ]}
        defaultSort={{ by: 'created_at', direction: 'DESC' }}
        views={[
          { name: words.views.all, query: '' },
          { name: words.views.recent, query: 'order_by=updated_at&order_direction=DESC' },
        ]}
        load={async (client, query, signal) => {
          const { landingPages, pagination } = await client.landingPages.list(query, { signal })
          return { rows: landingPages, pagination }
        }}
        keyOf={({ id }) => id}
        nameOf={({ title }) => title}
        href={({ id }) => `/s/${store.id}/landing-pages/${id}`}
        empty={{
          title: words.empty,
          help: words.emptyHelp,
          noMatch: words.noMatch,
          noMatchHelp: words.noMatchHelp,
          icon: <LayoutTemplate />,
        }}
        actions={
          can('landing_page:create') && (
            <CreateButton label={words.create} onCreate={() => navigate(`/s/${store.id}/landing-pages/new`)} />
          )
        }
        {...((canChange || can('landing_page:delete')) && {
          bulk: (rows, select, matching) => (
            <>
              {canChange && (
                <Button icon={<PencilLine />} onClick={() => setChanging({ chosen: rows, matching, done: select })}>
                  {controls.changeMany}
                </Button>
              )}
              {can('landing_page:delete') && (
                <Button
                  kind="danger"
                  icon={<Trash2 />}
                  onClick={() => remove(rows).then((isHidden) => isHidden && select([]))}
                >
                  {controls.delete}
                </Button>
              )}
            </>
          ),
        })}
      />
      {changing && <ChangeLandingPages {...changing} onClose={() => setChanging(undefined)} />}
    </>
  )
}

export default LandingPagesPage
