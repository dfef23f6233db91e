import { createContext, useContext } from 'react'
import { type Client, createClient } from '../../../client/src/index.ts'
import { apiBase } from '../base-url.ts'
import { consoleApi, type StoreInfo } from './console.ts'

export type { Client } from '../../../client/src/index.ts'

const clients = new Map<string, Client>()

/** The public API for one store. The token is kept in memory only, and renewed by the client. */
export const storeClient = (store: string): Client => {
  const known = clients.get(store)
  if (known) return known
  const requestToken = () => consoleApi.token(store)
  // The first token is requested at once, not with the first call.
  let first: ReturnType<typeof requestToken> | undefined = requestToken()
  first.catch(() => {
    first = undefined
  })
  const getToken = () => {
    const token = first ?? requestToken()
    first = undefined
    return token
  }
  const client = createClient({ baseUrl: apiBase, getToken, retries: 1 })
  clients.set(store, client)
  return client
}

export interface OpenStore {
  store: StoreInfo
  client: Client
  /** Whether the person has this permission on the store. */
  can: (permission: string) => boolean
}

export const openStore = (store: StoreInfo): OpenStore => ({
  store,
  client: storeClient(store.id),
  can: (permission) => store.role !== 'staff' || store.permissions.includes(permission),
})

export const StoreContext = createContext<OpenStore | undefined>(undefined)

export const useStore = (): OpenStore => {
  const open = useContext(StoreContext)
  if (!open) throw new Error('useStore() is for pages of a store.')
  return open
}
