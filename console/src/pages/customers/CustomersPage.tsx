import { Download, Users } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { CreateButton } from '../../components/CreateButton.tsx'
import { ListPage } from '../../components/ListPage.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { loadable } from '../../components/loadable.tsx'
import { Money } from '../../components/Money.tsx'
import type { Column } from '../../components/Table.tsx'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { ImportExport } from '../transfer/ImportExport.tsx'
import { type Customer, CustomerForm } from './CustomerForm.tsx'
import { useCustomersTitle } from './title.ts'
import { useCustomerWords } from './words.ts'

const ExportDialog = loadable(() => import('../transfer/ExportDialog.tsx'))

const PARAMETERS = ['country']

const CustomersPage = () => {
  const words = useCustomerWords()
  const { controls } = useMessages()
  const title = useCustomersTitle()
  const { store, can } = useStore()
  const [, navigate] = useLocation()
  const [creating, setCreating] = useState(false)
  const [exporting, setExporting] = useState<Omit<ComponentProps<typeof ExportDialog>, 'onClose'>>()
  const nameOf = ({ name, email }: Customer) => name || email
  const columns: Column<Customer>[] = [
    {
      id: 'name',
      label: words.name,
      sort: 'name',
      cell: (customer) => <bdi>{nameOf(customer)}</bdi>,
      below: ({ name, phone, email }) => <Ltr>{phone || (name && email)}</Ltr>,
    },
    { id: 'email', label: words.email, sort: 'email', wide: true, cell: ({ email }) => <Ltr>{email}</Ltr> },
    { id: 'phone', label: words.phone, wide: true, cell: ({ phone }) => (phone ? <Ltr>{phone}</Ltr> : '–') },
    { id: 'city', label: words.city, sort: 'city', wide: true, cell: ({ city }) => <bdi>{city || '–'}</bdi> },
    {
      id: 'created',
      label: words.since,
      sort: 'created_at',
      wide: true,
      optional: true,
      cell: ({ created_at }) => <When at={created_at} zone={store.time_zone} day />,
    },
    {
      id: 'orders',
      label: words.orders,
      sort: 'order_count',
      align: 'end',
      wide: true,
      cell: ({ order_count }) => order_count,
    },
    {
      id: 'spent',
      label: words.spent,
      sort: 'amount_spent',
      align: 'end',
      cell: ({ amount_spent }) => <Money amount={amount_spent} currency={store.currency} />,
    },
  ]
  return (
    <>
      <ListPage<Customer>
        list="customers"
        title={title}
        columns={columns}
        parameters={PARAMETERS}
        filters={[]}
        searchHint={words.searchHint}
        defaultSort={{ by: 'created_at', direction: 'DESC' }}
        views={[
          { name: words.views.all, query: '' },
          { name: words.views.best, query: 'order_by=amount_spent&order_direction=DESC' },
          { name: words.views.recent, query: 'order_by=updated_at&order_direction=DESC' },
        ]}
        load={async (client, query, signal) => {
          const { customers, pagination } = await client.customers.list(query, { signal })
          return { rows: customers, pagination }
        }}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        href={({ id }) => `/s/${store.id}/customers/${id}`}
        empty={{
          title: words.empty,
          help: words.emptyHelp,
          noMatch: words.noMatch,
          noMatchHelp: words.noMatchHelp,
          icon: <Users />,
        }}
        actions={
          <>
            <ImportExport resource="customer" parameters={PARAMETERS} />
            {can('customer:create') && <CreateButton label={words.create} onCreate={() => setCreating(true)} />}
          </>
        }
        bulk={(chosen, _select, { total, query }) => (
          <Button icon={<Download />} onClick={() => setExporting({ resource: 'customer', chosen, total, query })}>
            {controls.export}
          </Button>
        )}
      />
      {exporting && <ExportDialog {...exporting} onClose={() => setExporting(undefined)} />}
      {creating && (
        <CustomerForm
          onDone={({ id }) => navigate(`/s/${store.id}/customers/${id}`)}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  )
}

export default CustomersPage
