import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Client, useStore } from '../../api/store.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useMessages } from '../../messages/messages.ts'

/** What is open over a short list. */
type Opened<Row> = { kind: 'new' } | { kind: 'edit' | 'delete'; row: Row }

/** The rows of a short list, and what is being done to one of them. */
export const useRows = <Row>(name: string, load: (client: Client, signal: AbortSignal) => Promise<readonly Row[]>) => {
  const { store, client } = useStore()
  const { settings: words } = useMessages()
  const queries = useQueryClient()
  const toast = useToast()
  const [opened, open] = useState<Opened<Row>>()
  const { data: rows, error } = useQuery({
    queryKey: [store.id, name],
    queryFn: ({ signal }) => load(client, signal),
  })
  const renew = async (done: string) => {
    toast(done)
    await queries.invalidateQueries({ queryKey: [store.id, name] })
  }
  return {
    client,
    rows,
    error,
    opened,
    open,
    close: () => open(undefined),
    saved: () => renew(words.saved),
    deleted: () => renew(words.deleted),
    /** After a lost race: the next time the newest version opens. */
    reload: () => queries.invalidateQueries({ queryKey: [store.id, name] }).then(() => open(undefined)),
  }
}
