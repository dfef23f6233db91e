import type { Resource } from '../../core/http/resource.ts'
import { LIFECYCLE_ACTIONS } from '../auth/installation-changes.ts'
import { type AppServices, appRoutes } from './routes.ts'

const app = {
  id: '01a1e000-0000-7000-8000-0000000000a1',
  client_id: 'app_c3RvY2stY291bnRlcg',
  name: 'Stock counter',
  description: 'Counts what is on the shelf.',
  developer: 'Counter Ltd',
  url: 'https://counter.example/',
  icon: 'https://api.example.com/oauth/icons/01a1e000-0000-7000-8000-0000000000a1?v=5d41402a',
  support_url: 'https://counter.example/support',
  privacy_url: 'https://counter.example/privacy',
  embed_url: 'https://counter.example/embed',
  languages: { fr: { name: 'Compteur de stock' } },
  state: 'listed',
  required: ['product:view'],
  optional: ['product:update'],
  install_id: '01a1e000-0000-7000-8000-0000000000a2',
  permissions: ['product:view'],
  pending: [],
  installed_at: '2026-11-16T09:30:00.000Z',
  last_used_at: '2026-11-16T09:41:00.000Z',
}

const { install_id, client_id, permissions } = app

const own = {
  install_id,
  client_id,
  store: {
    id: '01a1e000-0000-7000-8000-000000000001',
    name: 'Dar Yasmine',
    domain: 'dar-yasmine.example',
    currency: 'TND',
  },
  permissions,
  pending: ['order:view'],
}

const installation = {
  install_id,
  store: own.store.id,
  permissions,
  created_at: app.installed_at,
  removed_at: null,
}

export const apps: Resource<AppServices> = {
  heading: 'Apps',
  description: 'Apps of the store: what is installed, what can be, and who opens it.',
  routes: appRoutes,
  events: { app: { permission: 'app:install', actions: LIFECYCLE_ACTIONS } },
  examples: {
    bodies: () => ({
      createInstallation: { permissions: ['product:update'] },
      updateOwnInstallation: { permissions: ['product:view'] },
    }),
    replies: () => ({
      listApps: { data: { apps: [app] } },
      getOwnInstallation: { data: { installation: own } },
      updateOwnInstallation: { data: { installation: { ...own, pending: [] } } },
      listInstallations: { data: { installations: [installation], next_cursor: 8, has_more: false } },
      createInstallation: { data: { installation: { install_id, permissions: ['product:update', 'product:view'] } } },
      createSession: {
        data: {
          session: {
            url: app.embed_url,
            session_token: 'eyJhbGciOiJIUzI1NiJ9.this-is-not-a-token',
            expires_at: '2026-11-16T09:42:00.000Z',
          },
        },
      },
    }),
    schemas: () => ({ StoreApp: app, OwnInstallation: own, AppInstallation: installation }),
    ids: () => ({ createInstallation: client_id, deleteInstallation: client_id, createSession: client_id }),
  },
}
