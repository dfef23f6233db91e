import type { ComponentType, ReactNode } from 'react'
import type { ListSource } from './components/list-query.ts'
import type { PageWords } from './messages/page-words.ts'

export interface AnyPage {
  page: ComponentType & { preload: () => Promise<unknown> }
  /** A place in the menu, a line in the palette and the keys `g x`. Pages that are reached from others have none. */
  navigation?: {
    /** The pages of the menu stand in this order: those of a store, and below them those outside. */
    place: number
    title: PageWords<string>
    icon: ReactNode
    /** Differs from that of every other page, outside the store, too. */
    key: string
  }
}

/** A page as the menu, the palette and the list of keys show it. */
export type MenuEntry = { href: string } & NonNullable<AnyPage['navigation']>

/** A page of a store. */
export interface StorePage extends AnyPage {
  /** Below `/s/:store`. */
  path: string
  /** What a list shows: asked for before the page is drawn, if it opens first. */
  list?: ListSource<unknown>
  /** Without this permission the page says so, and the navigation leaves it out. */
  permission?: string
  /** The same, if any of several is enough. */
  anyOf?: readonly string[]
  /** Left out of the navigation of staff; the page itself says why. */
  ownersOnly?: boolean
}

/** A page outside a store. */
export interface ServicePage extends AnyPage {
  /** Below the console. */
  path: string
  /**
   * Others are told that it does not exist. `developer`: of any app; the API decides which apps somebody sees. Operators see
   * every page.
   */
  who: 'operator' | 'developer' | 'everybody'
}

/** What a folder of `pages/` declares in its `routes.tsx`. */
export type PageRoute = StorePage | ServicePage
