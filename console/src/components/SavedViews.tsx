import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { consoleApi } from '../api/console.ts'
import { useStore } from '../api/store.tsx'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { TextField } from './Field.tsx'
import styles from './ListPage.module.css'
import { Problem } from './Problem.tsx'
import { useToast } from './Toast.tsx'
import { useAddress } from './useAddress.ts'
import { useCurrentInView } from './useCurrentInView.ts'
import { useDelete, useRemaining } from './useDelete.ts'
import { useForm } from './useForm.ts'

const SaveView = ({ list, query, onClose }: { list: string; query: string; onClose: () => void }) => {
  const { controls } = useMessages()
  const { store } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const form = useForm({ name: '' }, ({ name = '' }) =>
    consoleApi.saveView({ store_id: store.id, list, name: name.trim(), query }),
  )
  const submit = async () => {
    if (!(await form.submit())) return
    await queries.invalidateQueries({ queryKey: ['views', store.id, list] })
    toast(controls.viewSaved)
    onClose()
  }
  return (
    <Dialog
      title={controls.saveView}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            {controls.save}
          </Button>
        </>
      }
    >
      <Problem error={form.error} shown={['name']} />
      <TextField label={controls.viewName} {...form.field('name')} maxLength={60} required autoFocus />
    </Dialog>
  )
}

/** Equal for two queries with the same filters, whatever their order, page and columns. */
const normalized = (query: string) => {
  const params = new URLSearchParams(query)
  for (const name of ['cursor', 'at', 'columns']) params.delete(name)
  params.sort()
  return params.toString()
}

/** The same one each time. */
const NONE: readonly never[] = []

/** Links to the built-in views of a list and to those that the user has saved. */
export const SavedViews = ({
  list,
  builtIn,
  ready,
}: {
  list: string
  builtIn: readonly { name: string; query: string }[]
  ready: boolean
}) => {
  const { controls } = useMessages()
  const { store } = useStore()
  const queries = useQueryClient()
  const { search, path } = useAddress()
  const [saving, setSaving] = useState(false)
  const remove = useDelete()
  // Rows come first.
  const { data } = useQuery({
    queryKey: ['views', store.id, list],
    queryFn: () => consoleApi.views(store.id, list),
    enabled: ready,
    staleTime: 300_000,
  })
  const current = normalized(search)
  const bar = useCurrentInView(current)
  const saved = useRemaining(data?.views ?? NONE, ({ id }) => id)
  const known = [...builtIn, ...saved].some(({ query }) => normalized(query) === current)
  return (
    <nav className={styles.views} aria-label={controls.views}>
      <ul ref={bar}>
        {builtIn.map(({ name, query }) => (
          <li key={name}>
            <Link
              href={query ? `${path}?${query}` : path}
              aria-current={normalized(query) === current ? 'page' : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
        {saved.map((view) => (
          <li key={view.id}>
            <Link
              href={`${path}?${view.query}`}
              dir="auto"
              aria-current={normalized(view.query) === current ? 'page' : undefined}
            >
              {view.name}
            </Link>
            {normalized(view.query) === current && (
              <button
                type="button"
                className={styles.remove}
                aria-label={`${controls.deleteView}: ${view.name}`}
                onClick={() =>
                  remove({
                    rows: [view],
                    read: async () => view,
                    remove: consoleApi.deleteView,
                    done: controls.labelled(controls.viewDeleted, view.name),
                    renew: () => queries.invalidateQueries({ queryKey: ['views', store.id, list] }),
                  })
                }
              >
                <X />
              </button>
            )}
          </li>
        ))}
        {!known && current !== '' && (
          <li>
            <button type="button" className={styles.save} onClick={() => setSaving(true)}>
              <Plus aria-hidden /> {controls.saveView}
            </button>
          </li>
        )}
      </ul>
      {saving && <SaveView list={list} query={current} onClose={() => setSaving(false)} />}
    </nav>
  )
}
