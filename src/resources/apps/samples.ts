import { addRegisteredApp } from '../../../tests/support/apps.ts'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'
import { createInstallation } from '../auth/create-installation.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'

export const seed = async ({ api }: SeedContext) => {
  const installed = await addRegisteredApp(api)
  await createInstallation(api.db, installed.client_id, api.store.id, ['product:view'])
  return { installedApp: installed, listedApp: await addRegisteredApp(api) }
}

export const samples = ({ installedApp, listedApp }: Seeded) => [
  { route: 'GET /app' },
  { route: 'GET /app/self' },
  { route: 'POST /app/:client_id/install', params: { client_id: listedApp.client_id }, body: {} },
  { route: 'PUT /app/self', body: { permissions: PERMISSIONS } },
  { route: 'POST /app/:client_id/boot', params: { client_id: installedApp.client_id } },
]

export const removals = ({ installedApp }: Seeded) => [
  { route: 'DELETE /app/:client_id', params: { client_id: installedApp.client_id } },
]
