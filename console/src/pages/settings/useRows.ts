import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Client, useStore } from '../../api/store.tsx'
import { useToast } from '../../components/Toast.tsx'
import { type Deletion, useDelete, useRemaining } from '../../components/useDelete.ts'
import { useMessages } from '../../messages/messages.ts'
import { useSettingsWords } from './words.ts'

/** What is open over a short list. */
type Opened<Row> = { kind: 'new' } | { kind: 'edit' | 'delete'; row: Row }

/** The same one each time. */
const NONE: readonly never[] = []

/** The rows of a short list, and what is being done to one of them. */
export const useRows = <Row extends { id: string }>(
  name: string,
  load: (client: Client, signal: AbortSignal) => Promise<readonly Row[]>,
) => {
  const { store, client } = useStore()
  const words = useSettingsWords()
  const { controls } = useMessages()
  const queries = useQueryClient()
  const toast = useToast()
  const [opened, open] = useState<Opened<Row>>()
  const deleteRows = useDelete()
  const { data, error } = useQuery({
    queryKey: [store.id, name],
    queryFn: ({ signal }) => load(client, signal),
  })
  const remaining = useRemaining(data ?? NONE, ({ id }) => id)
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, name] })
  const say = (done: string) => {
    toast(done)
    return renew()
  }
  return {
    client,
    rows: data && remaining,
    error,
    opened,
    open,
    close: () => open(undefined),
    saved: () => say(words.saved),
    deleted: () => say(words.deleted),
    /** With a chance to undo. */
    remove: <Version>(
      row: { id: string; name: string },
      how: Pick<Deletion<Version>, 'read' | 'remove'>,
      help: string,
    ) => deleteRows({ rows: [row], ...how, done: `${controls.labelled(words.deleted, row.name)}. ${help}`, renew }),
    /** After a lost race: the next time the newest version opens. */
    reload: () => renew().then(() => open(undefined)),
  }
}
