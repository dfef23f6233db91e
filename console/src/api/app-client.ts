import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Client, createClient } from '../../../client/src/index.ts'
import { apiBase } from '../base-url.ts'
import { useAddress } from '../components/useAddress.ts'
import { developerApi } from './developer.ts'

/** The public API as an installation sees it. Each token is valid for five minutes and written to the audit log. */
const appClient = (app: string, installation: string): Client =>
  createClient({ baseUrl: apiBase, getToken: () => developerApi.token(app, installation), retries: 1 })

/** The installation that the address names, or else that of the demo store, or the first one; and a client for it. */
export const useInstallation = (app: string) => {
  const { params, change } = useAddress()
  const query = useQuery({ queryKey: ['developer', app], queryFn: () => developerApi.app(app) })
  const installations = query.data?.installations
  const store = params.get('store')
  const chosen =
    installations?.find(({ store_id }) => store_id === store) ??
    installations?.find(({ is_demo }) => is_demo) ??
    installations?.[0]
  const id = chosen?.id
  const client = useMemo(() => (id ? appClient(app, id) : undefined), [app, id])
  return { query, installations, chosen, client, choose: (store: string) => change({ store }) }
}
