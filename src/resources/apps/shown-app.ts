import type { StoreApp } from './queries.ts'

/** Of what the app must have, what this installation has not been granted. */
export const pendingPermissions = (required: readonly string[], granted: readonly string[]) =>
  required.filter((name) => !granted.includes(name))

export const iconAddress = (origin: string, { id, icon_hash }: { id: string; icon_hash: string | null }) =>
  icon_hash === null ? null : `${origin}/oauth/icons/${id}?v=${icon_hash}`

/** An app as the stores see it. */
export const showApp = (app: StoreApp, origin: string) => {
  const { manifest, install_id, permissions, installed_at, last_used_at } = app
  const { required = [], optional = [] } = manifest?.permissions ?? {}
  return {
    id: app.id,
    client_id: app.client_id,
    name: manifest?.name ?? app.name,
    description: manifest?.description ?? '',
    developer: manifest?.developer ?? '',
    url: manifest?.url ?? '',
    icon: iconAddress(origin, app),
    support_url: manifest?.support_url ?? null,
    privacy_url: manifest?.privacy_url ?? null,
    embed_url: manifest?.embed_url ?? null,
    languages: manifest?.languages ?? {},
    state: app.disabled ? ('disabled' as const) : (app.listing ?? ('unlisted' as const)),
    required,
    optional,
    install_id,
    permissions: permissions ?? [],
    pending: install_id ? pendingPermissions(required, permissions ?? []) : [],
    installed_at: installed_at?.toISOString() ?? null,
    last_used_at: last_used_at?.toISOString() ?? null,
  }
}
