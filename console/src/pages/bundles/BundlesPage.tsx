import { useQueries, useQueryClient } from '@tanstack/react-query'
import { Boxes, PencilLine, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { CreateButton } from '../../components/CreateButton.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import { ListPage } from '../../components/ListPage.tsx'
import { loadable } from '../../components/loadable.tsx'
import { Newest } from '../../components/Newest.tsx'
import type { Column } from '../../components/Table.tsx'
import { useAddress, withChanges } from '../../components/useAddress.ts'
import { useDelete } from '../../components/useDelete.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { type Chosen, chosenOf } from '../landing-pages/ProductPicker.tsx'
import { type Bundle, BundleForm } from './BundleForm.tsx'
import { useBundlesTitle } from './title.ts'
import { useBundleWords } from './words.ts'

const ChangeBundles = loadable(() => import('./ChangeBundles.tsx'))

/** The products of the bundles that are shown, each read once. */
const useProducts = (ids: readonly string[]) => {
  const { store, client } = useStore()
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: [store.id, 'products', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.products.get(id, { signal }),
      staleTime: 60_000,
    })),
  })
  return new Map(answers.flatMap(({ data }): [string, Chosen][] => (data ? [[data.id, chosenOf(data)]] : [])))
}

const BundlesPage = () => {
  const words = useBundleWords()
  const messages = useMessages()
  const { controls } = messages
  const title = useBundlesTitle()
  const { store, client, can } = useStore()
  const { params, search, change } = useAddress()
  const queries = useQueryClient()
  const deleteRows = useDelete()
  const remove = (rows: readonly Bundle[]) =>
    deleteRows({
      rows,
      read: client.bundles.get,
      remove: client.bundles.delete,
      done:
        rows.length === 1 ? controls.labelled(words.deleted, rows[0]?.name ?? '') : controls.deletedCount(rows.length),
      renew: () => queries.invalidateQueries({ queryKey: [store.id, 'bundles'] }),
    })
  const [shown, setShown] = useState<readonly string[]>([])
  const productOf = useProducts(shown)
  const [creating, setCreating] = useState(false)
  const [changing, setChanging] = useState<Changing<Bundle>>()
  const edited = params.get('edit')
  const close = () => change({ edit: undefined }, { replace: true })
  const columns: Column<Bundle>[] = [
    {
      id: 'name',
      label: words.name,
      sort: 'name',
      cell: ({ name }) => <bdi>{name}</bdi>,
      below: ({ options }) => words.optionCount(options.length),
    },
    {
      id: 'product',
      label: words.product,
      wide: true,
      cell: ({ product_id }) => <bdi>{productOf.get(product_id)?.title ?? '…'}</bdi>,
    },
    {
      id: 'options',
      label: words.options,
      wide: true,
      cell: ({ options }) => <bdi>{options.map(({ name }) => name).join(', ')}</bdi>,
    },
    {
      id: 'status',
      label: words.status,
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'plain'}>{words.statuses[status]}</Badge>,
    },
    {
      id: 'created',
      label: words.created,
      sort: 'created_at',
      wide: true,
      optional: true,
      cell: ({ created_at }) => <When at={created_at} zone={store.time_zone} day />,
    },
  ]
  return (
    <>
      <ListPage<Bundle>
        list="bundles"
        title={title}
        columns={columns}
        parameters={['status', 'product_id']}
        filters={[
          {
            id: 'status',
            label: words.status,
            kind: 'choice',
            choices: Object.entries(words.statuses).map(([value, label]) => ({ value, label })),
          },
        ]}
        defaultSort={{ by: 'created_at', direction: 'DESC' }}
        views={[
          { name: words.all, query: '' },
          { name: words.active, query: 'status=active' },
        ]}
        load={async (client, query, signal) => {
          const { bundles, pagination } = await client.bundles.list(query, { signal })
          setShown([...new Set(bundles.map(({ product_id }) => product_id))])
          return { rows: bundles, pagination }
        }}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        href={({ id }) => `/s/${store.id}/bundles?${withChanges(search, { edit: id })}`}
        empty={{
          title: words.empty,
          help: words.emptyHelp,
          noMatch: words.noMatch,
          noMatchHelp: words.noMatchHelp,
          icon: <Boxes />,
        }}
        actions={can('bundle:create') && <CreateButton label={words.create} onCreate={() => setCreating(true)} />}
        {...((can('bundle:update') || can('bundle:delete')) && {
          bulk: (rows, select, matching) => (
            <>
              {can('bundle:update') && (
                <Button icon={<PencilLine />} onClick={() => setChanging({ chosen: rows, matching, done: select })}>
                  {controls.changeMany}
                </Button>
              )}
              {can('bundle:delete') && (
                <Button
                  kind="danger"
                  icon={<Trash2 />}
                  onClick={() => remove(rows).then((isHidden) => isHidden && select([]))}
                >
                  {rows.length === 1 ? words.delete : controls.delete}
                </Button>
              )}
            </>
          ),
        })}
      />
      {changing && <ChangeBundles {...changing} onClose={() => setChanging(undefined)} />}
      {creating && <BundleForm onClose={() => setCreating(false)} />}
      {edited && (
        <Newest name="bundles" id={edited} get={(id) => client.bundles.get(id)}>
          {(bundle) => <BundleForm bundle={bundle} product={productOf.get(bundle.product_id)} onClose={close} />}
        </Newest>
      )}
    </>
  )
}

export default BundlesPage
