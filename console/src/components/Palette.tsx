import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { OpenStore } from '../api/store.tsx'
import { useWords } from '../messages/messages.ts'
import type { MenuEntry } from '../page-route.ts'
import { ORDERS } from '../pages/orders/source.ts'
import styles from './Palette.module.css'

interface Hit {
  id: string
  title: string
  about: string
  href: string
}

interface PaletteProps {
  store: OpenStore | undefined
  pages: readonly MenuEntry[]
  onClose: () => void
}

type Find = (open: OpenStore, search: string, signal: AbortSignal) => Promise<Hit[]>

const findOrders: Find = async ({ client, store }, search, signal) => {
  const { rows: orders } = await ORDERS.load(client, { search, page_size: 6, total: false }, signal)
  return orders.map(({ id, ref, customer_name }) => ({
    id,
    title: ref,
    about: customer_name,
    href: `/s/${store.id}/orders/${id}`,
  }))
}

const findProducts: Find = async ({ client, store }, search, signal) => {
  const list = (query: { search: string } | { sku: string }) =>
    client.products.list({ ...query, page_size: 6, total: false }, { signal })
  const [{ products: bySku }, { products: byWords }] = await Promise.all([list({ sku: search }), list({ search })])
  const products = new Map([...bySku, ...byWords].map((product) => [product.id, product]))
  return [...products.values()].map(({ id, title, category }) => ({
    id,
    title,
    about: category?.name ?? '',
    href: `/s/${store.id}/products/${id}`,
  }))
}

const findCustomers: Find = async ({ client, store }, search, signal) => {
  const { customers } = await client.customers.list({ search, page_size: 6, total: false }, { signal })
  return customers.map(({ id, name, email, phone }) => ({
    id,
    title: name || email,
    about: phone || email,
    href: `/s/${store.id}/customers/${id}`,
  }))
}

/** What the store itself knows, by the permission that finding it needs. Pages of other resources add theirs here. */
const FINDERS: readonly (readonly [permission: string, find: Find])[] = [
  ['order:view', findOrders],
  ['customer:view', findCustomers],
  ['product:view', findProducts],
]

const findInStore: Find = async (open, search, signal) => {
  const found = FINDERS.filter(([permission]) => open.can(permission)).map(([, find]) => find(open, search, signal))
  return (await Promise.all(found)).flat()
}

/**
 * Ctrl-K: pages by their names, orders by reference or tracking number, customers by name, email or phone, products by title
 * or SKU.
 */
export const Palette = ({ store, pages, onClose }: PaletteProps) => {
  const { language, messages } = useWords()
  const { shell } = messages
  const [, navigate] = useLocation()
  const [text, setText] = useState('')
  const [asked, setAsked] = useState('')
  const [place, setPlace] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), 200)
    return () => clearTimeout(timer)
  }, [text])
  const { data: found = [] } = useQuery({
    queryKey: [store?.store.id, 'palette', asked],
    queryFn: ({ signal }) => findInStore(store as OpenStore, asked, signal),
    enabled: store !== undefined && asked.length > 1,
    placeholderData: (before) => before,
  })
  const wanted = text.trim().toLowerCase()
  const named = pages
    .map(({ href, title }): Hit => ({ id: href, title: title.of(language), about: shell.pages, href }))
    .filter(({ title }) => title.toLowerCase().includes(wanted))
  const hits = [...named, ...(asked.length > 1 ? found : [])]
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    navigate(hit.href)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setPlace((place) => (place + step + hits.length) % Math.max(1, hits.length))
    else if (event.key === 'Enter') open(hits[place] ?? hits[0])
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className={styles.palette} aria-label={shell.palette} onClose={onClose}>
      <input
        // Not «search», whose Escape only empties the field.
        type="text"
        role="combobox"
        aria-label={shell.palette}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={hits[place] ? `${id}-${place}` : undefined}
        placeholder={shell.paletteHint}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setPlace(0)
        }}
        onKeyDown={press}
      />
      <div id={id} role="listbox" aria-label={shell.palette} className={styles.hits}>
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard acts on the field above.
          <div
            key={hit.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === place}
            onClick={() => open(hit)}
            onMouseMove={() => setPlace(index)}
          >
            <bdi>{hit.title}</bdi>
            <span dir="auto">{hit.about}</span>
          </div>
        ))}
      </div>
      {hits.length === 0 && <p className={styles.none}>{shell.paletteEmpty}</p>}
    </dialog>
  )
}
