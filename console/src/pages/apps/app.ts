import type { Client } from '../../api/store.tsx'
import type { Language } from '../../messages/messages.ts'

export type StoreApp = Awaited<ReturnType<Client['apps']['list']>>[number]

interface Named {
  name: string
  description: string
  languages: object
}

/** Name and description as the app gives them in the reader's language. */
export const appWords = ({ name, description, languages }: Named, language: Language) => ({
  name,
  description,
  ...(languages as Partial<Record<Language, { name?: string; description?: string }>>)[language],
})

/** Only web addresses become links: the manifest of an app is checked, and this does not rely on it. */
export const webAddress = (url: string | null) => (url && /^https?:\/\//.test(url) ? url : undefined)

export const appPath = (store: string, clientId: string) => `/s/${store}/apps/${encodeURIComponent(clientId)}`

/** The page that shows an app: loaded as a page of its own, because its policy allows the app's address in a frame. */
export const openPath = (store: string, clientId: string) => `${appPath(store, clientId)}/open`

/** The page that asks a person for consent, from inside the console. */
export const consentPath = (store: string, clientId: string) =>
  `/authorize?${new URLSearchParams({ client_id: clientId, store })}`

/** A client id that is an address has escaped slashes in the path. */
export const isClient =
  (param: string) =>
  ({ client_id }: StoreApp) =>
    client_id === param || encodeURIComponent(client_id) === param
