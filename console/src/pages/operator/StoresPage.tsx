import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pause, Pencil, Play, Plus, Store, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { operatorApi, type StoreRow } from '../../api/console.ts'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { describeError } from '../../components/describe-error.ts'
import { TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { ME } from '../../session.tsx'
import styles from './ServiceList.module.css'
import { ServiceList, useServiceList } from './ServiceList.tsx'
import { useStoresTitle } from './titles.ts'
import { useOperatorWords } from './words.ts'

const PARAMETERS = ['state']

const loadStores = async (filters: Record<string, string>) => {
  const { stores, pagination } = await operatorApi.stores(filters)
  return { rows: stores, total: pagination.total, next: pagination.next_cursor }
}

type Run = ReturnType<typeof useStepUp>['run']

interface DialogProps {
  run: Run
  onDone: (text: string) => Promise<unknown>
  onClose: () => void
}

const StoreForm = ({ store, run, onDone, onClose }: DialogProps & { store?: StoreRow | undefined }) => {
  const words = useOperatorWords()
  const { controls } = useMessages()
  const initial = { name: store?.name ?? '', domain: store?.domain ?? '', currency: store?.currency ?? '' }
  const create = useCreate(
    (body: typeof initial, { idempotencyKey }) => {
      const { name, domain, currency } = body
      const given = { ...(domain && { domain }), ...(currency && { currency }) }
      return operatorApi.createStore({ id: idempotencyKey, name, ...given })
    },
    ({ store }, body) => operatorApi.changeStore(store.id, body),
  )
  const form = useForm(initial, (changes, values) =>
    run(() => (store ? operatorApi.changeStore(store.id, changes) : create(values))),
  )
  return (
    <FormDialog
      title={store ? words.edit : words.newStore}
      act={store ? controls.save : words.create}
      form={form}
      shown={['name', 'domain', 'currency']}
      onDone={() => onDone(store ? words.saved : words.created)}
      onClose={onClose}
    >
      <TextField label={words.storeName} dir="auto" maxLength={200} autoComplete="off" {...form.field('name')} />
      <TextField
        label={words.domain}
        help={words.domainHelp}
        dir="ltr"
        maxLength={253}
        autoComplete="off"
        {...form.field('domain')}
      />
      <TextField
        label={words.currency}
        help={words.currencyHelp}
        dir="ltr"
        maxLength={3}
        autoComplete="off"
        {...form.field('currency')}
      />
    </FormDialog>
  )
}

/** Shows what will be deleted, and asks for the name of the store. */
const Removal = ({ store, run, onDone, onClose }: DialogProps & { store: StoreRow }) => {
  const words = useOperatorWords()
  const { data } = useQuery({ queryKey: ['service', 'store', store.id], queryFn: () => operatorApi.store(store.id) })
  const form = useForm({ name: '' }, (_changes, { name }) => run(() => operatorApi.removeStore(store.id, name)))
  const { products = 0, orders = 0, customers = 0, files = 0 } = data?.contents ?? {}
  return (
    <FormDialog
      title={words.removeAsk(store.name)}
      act={words.remove}
      form={form}
      shown={['name']}
      isDestructive
      onDone={() => onDone(words.removed)}
      onClose={onClose}
    >
      <p>{words.removeHelp}</p>
      {data ? (
        <ul className={styles.contents}>
          <li>{words.contents.products(products)}</li>
          <li>{words.contents.orders(orders)}</li>
          <li>{words.contents.customers(customers)}</li>
          <li>{words.contents.files(files)}</li>
          <li>{words.appCount(store.apps)}</li>
          <li>{words.peopleCount(store.people)}</li>
        </ul>
      ) : (
        <Skeleton lines={4} />
      )}
      <TextField label={words.removeType(store.name)} dir="auto" autoComplete="off" {...form.field('name')} />
    </FormDialog>
  )
}

interface RowProps {
  store: StoreRow
  onEdit: () => void
  onSuspend: () => void
  onResume: () => void
  onRemove: () => void
}

const Row = ({ store, onEdit, onSuspend, onResume, onRemove }: RowProps) => {
  const words = useOperatorWords()
  const { controls } = useMessages()
  const [, navigate] = useLocation()
  return (
    <li>
      <div className={styles.main}>
        <span>
          <Link href={`/s/${store.id}`}>
            <bdi>{store.name}</bdi>
          </Link>{' '}
          {store.suspended_at && <Badge tone="warn">{words.suspended}</Badge>}
        </span>
        <small>
          <Ltr>{store.domain}</Ltr>
        </small>
      </div>
      <span className={styles.figures}>
        {words.ordersToday(store.orders_today)}
        {store.calls !== null && (
          <small>
            {words.callCount(store.calls)}
            {store.errors !== null && store.errors > 0 && ` · ${words.errorCount(store.errors)}`}
          </small>
        )}
        <small>
          {words.appCount(store.apps)} · {words.peopleCount(store.people)}
          {store.plan && (
            <>
              {' · '}
              <bdi>{store.plan}</bdi>
            </>
          )}
        </small>
      </span>
      <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={`${controls.more}: ${store.name}`} />}>
        <MenuItem icon={<Store />} onSelect={() => navigate(`/s/${store.id}`)}>
          {words.open}
        </MenuItem>
        <MenuItem icon={<Pencil />} onSelect={onEdit}>
          {words.edit}
        </MenuItem>
        {store.suspended_at ? (
          <MenuItem icon={<Play />} onSelect={onResume}>
            {words.resume}
          </MenuItem>
        ) : (
          <MenuItem icon={<Pause />} onSelect={onSuspend}>
            {words.suspend}
          </MenuItem>
        )}
        <MenuItem icon={<Trash2 />} danger onSelect={onRemove}>
          {words.remove}
        </MenuItem>
      </Menu>
    </li>
  )
}

type Opened = { kind: 'create' } | { kind: 'edit' | 'suspend' | 'remove'; store: StoreRow }

const StoresPage = () => {
  const messages = useMessages()
  const title = useStoresTitle()
  const words = useOperatorWords()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [opened, open] = useState<Opened>()
  const query = useServiceList('stores', PARAMETERS, loadStores)
  const close = () => open(undefined)
  const renew = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['service', 'stores'] }),
      queries.invalidateQueries({ queryKey: ME }),
    ])
  const done = async (text: string) => {
    toast(text)
    await renew()
  }
  const resume = (store: StoreRow) =>
    run(() => operatorApi.resumeStore(store.id)).then(
      () => done(words.resumed),
      (error) => toast(describeError(error, messages).message, { bad: true }),
    )
  const suspend = async (store: StoreRow) => {
    await run(() => operatorApi.suspendStore(store.id))
    toast(words.storeSuspended, { action: { label: words.resume, run: () => resume(store) } })
    await renew()
  }
  const shared = { run, onDone: done, onClose: close }
  return (
    <ServiceList
      title={title}
      actions={
        <Button kind="primary" icon={<Plus />} onClick={() => open({ kind: 'create' })}>
          {words.newStore}
        </Button>
      }
      searchHint={words.findStore}
      parameters={PARAMETERS}
      filters={[
        {
          id: 'state',
          label: words.state,
          kind: 'choice',
          choices: [
            { value: 'active', label: words.active },
            { value: 'suspended', label: words.suspended },
          ],
        },
      ]}
      query={query}
      empty={{ title: words.noStores, help: words.noStoresHelp }}
      row={(store) => (
        <Row
          key={store.id}
          store={store}
          onEdit={() => open({ kind: 'edit', store })}
          onSuspend={() => open({ kind: 'suspend', store })}
          onResume={() => resume(store)}
          onRemove={() => open({ kind: 'remove', store })}
        />
      )}
    >
      {(opened?.kind === 'create' || opened?.kind === 'edit') && (
        <StoreForm store={opened.kind === 'edit' ? opened.store : undefined} {...shared} />
      )}
      {opened?.kind === 'remove' && <Removal store={opened.store} {...shared} />}
      {opened?.kind === 'suspend' && (
        <Confirm
          title={words.suspendAsk(opened.store.name)}
          act={words.suspend}
          danger
          onClose={close}
          onConfirm={() => suspend(opened.store)}
        >
          {words.suspendHelp}
        </Confirm>
      )}
      {dialog}
    </ServiceList>
  )
}

export default StoresPage
