/// <reference types="vite/types/importMeta.d.ts" />
import type { Account } from './api/console.ts'
import type { PageRoute, ServicePage, StorePage } from './page-route.ts'

const declared = import.meta.glob<readonly PageRoute[]>('./pages/*/routes.tsx', { eager: true, import: 'default' })

const placeOf = ({ navigation }: PageRoute) => navigation?.place ?? Number.MAX_VALUE

const pages = Object.values(declared)
  .flat()
  .sort((a, b) => placeOf(a) - placeOf(b))

/** All pages of a store, in the order of the navigation. */
export const STORE_PAGES: readonly StorePage[] = pages.filter((page) => !('who' in page))

/** All pages outside a store, in the order of the navigation. */
export const SERVICE_PAGES: readonly ServicePage[] = pages.filter((page) => 'who' in page)

/** Whether somebody may see a page of a store. */
export const isAllowed = ({ permission, anyOf }: StorePage, can: (permission: string) => boolean) =>
  (!permission || can(permission)) && (!anyOf || anyOf.some(can))

export const maySee = ({ who }: ServicePage, { is_operator, is_developer }: Account) =>
  who === 'everybody' || is_operator || (who === 'developer' && is_developer)

const isAt = (path: string) => {
  const segments = path.split('/')
  return ({ path }: { path: string }) => {
    const pattern = path.split('/')
    return (
      pattern.length === segments.length && pattern.every((part, n) => part.startsWith(':') || part === segments[n])
    )
  }
}

/** The page at this path below `/s/:store`. */
export const pageAt = (path: string) => STORE_PAGES.find(isAt(path))

/** The page outside a store at this path. */
export const servicePageAt = (path: string) => SERVICE_PAGES.find(isAt(path))
