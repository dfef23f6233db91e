import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { isConflict } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useUnsaved } from '../../components/useUnsaved.ts'
import { useMessages } from '../../messages/messages.ts'
import { changesOf, type Draft, draftOf, isChanged, type ProductChanges } from './draft.ts'
import type { Product } from './labels.ts'
import { differences, isStockOnly, mergeDrafts } from './merge.ts'

/** What is edited: a product as it was read, or none for a new one, and its draft. */
export interface Editing {
  product?: Product
  base: Draft
  draft: Draft
}

/** Somebody else was quicker. */
export interface Conflict {
  product: Product
  base: Draft
  mine: Draft
  theirs: Draft
}

/** Drafts whose page went away without being left, because the session ended: they are there after the sign-in. */
const kept = new Map<string, Editing>()

const MAX_MERGES = 3

/** The state of the product page: what was read, what was typed, and how it is saved. */
export const useProductDraft = (key: string, initial: Editing) => {
  const { products: words } = useMessages()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const [editing, setEditing] = useState<Editing>(() => kept.get(key) ?? initial)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  /** What the last attempt sent: its errors are about that. */
  const [sent, setSent] = useState<ProductChanges>()
  const [conflict, setConflict] = useState<Conflict>()
  const { product, base, draft } = editing
  const changes = useMemo(() => changesOf(base, draft), [base, draft])
  const isDirty = isChanged(changes)
  const { isUnsaved, release } = useUnsaved(isDirty)

  const current = useRef(editing)
  current.current = editing
  // biome-ignore lint/correctness/useExhaustiveDependencies: kept once, when the page goes away.
  useLayoutEffect(() => {
    kept.delete(key)
    return () => {
      if (isUnsaved()) kept.set(key, current.current)
    }
  }, [key])

  // A newer version replaces what is shown, unless something was typed.
  const newest = initial.product
  if (newest && newest !== product && !isDirty && !busy && newest.updated_at >= (product?.updated_at ?? ''))
    setEditing({ product: newest, base: initial.base, draft: initial.draft })

  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'products'] })

  const saveAlts = async (saved: Product, { alts }: ProductChanges, before: Draft) => {
    if (alts.size === 0) return saved
    const known = new Map(before.images.map(({ id, alt }) => [id, alt]))
    for (const [id, alt] of alts) {
      const newest = await client.files.get(id)
      if (newest.alt !== (known.get(id) ?? newest.alt)) throw new Error(words.altFailed)
      await client.files.update(id, { alt }, { ifMatch: newest })
    }
    return client.products.get(saved.id)
  }

  /** Saves against the newest version where only the stock has changed since; otherwise the person decides. */
  const update = async (from: Product, { base, draft }: Editing, merges = 0): Promise<Product | undefined> => {
    const changes = changesOf(base, draft)
    setSent(changes)
    try {
      const needsUpdate = Object.keys(changes.body).length > 0
      const saved = needsUpdate ? await client.products.update(from.id, changes.body, { ifMatch: from }) : from
      return await saveAlts(saved, changes, base)
    } catch (error) {
      if (!isConflict(error)) throw error
      const newest = await client.products.get(from.id)
      const versions = { base, mine: draft, theirs: draftOf(newest) }
      if (isStockOnly(differences(versions)) && merges < MAX_MERGES) {
        const merged = { base: versions.theirs, draft: mergeDrafts(versions, new Map()) }
        return update(newest, merged, merges + 1)
      }
      setConflict({ product: newest, ...versions })
      return undefined
    }
  }

  const create = async ({ base, draft }: Editing) => {
    const changes = changesOf(base, draft)
    setSent(changes)
    const saved = await client.products.create({ ...changes.body, title: draft.title } as Parameters<
      typeof client.products.create
    >[0])
    return saveAlts(saved, changes, base)
  }

  /** Deletes what was seen. Stock that was sold meanwhile is no reason against it. */
  const remove = async (seen: Product): Promise<void> => {
    try {
      await client.products.delete(seen.id, { ifMatch: seen })
    } catch (error) {
      if (!isConflict(error)) throw error
      const newest = await client.products.get(seen.id)
      const [base, theirs] = [draftOf(seen), draftOf(newest)]
      if (!isStockOnly(differences({ base, mine: base, theirs }))) throw error
      await remove(newest)
    }
  }

  /** The product as it was saved, or nothing if it was not. */
  const save = async (given: Editing = editing): Promise<Product | undefined> => {
    setBusy(true)
    setError(undefined)
    try {
      const saved = given.product ? await update(given.product, given) : await create(given)
      if (!saved) return undefined
      const draft = draftOf(saved)
      setEditing({ product: saved, base: draft, draft })
      release()
      queries.setQueryData([store.id, 'products', 'one', saved.id], saved)
      await renew()
      toast(given.product ? words.saved : words.createdDone)
      return saved
    } catch (error) {
      setError(error)
      return undefined
    } finally {
      setBusy(false)
    }
  }

  return {
    product,
    draft,
    isDirty,
    busy,
    error,
    sent,
    conflict,
    change: (changes: Partial<Draft> | ((draft: Draft) => Partial<Draft>)) =>
      setEditing((editing) => ({
        ...editing,
        draft: { ...editing.draft, ...(typeof changes === 'function' ? changes(editing.draft) : changes) },
      })),
    discard: () => {
      setEditing((editing) => ({ ...editing, draft: editing.base }))
      setError(undefined)
    },
    save,
    remove,
    release,
    renew,
    closeConflict: () => setConflict(undefined),
    /** Goes on from the newest version with what was chosen. */
    resolve: async ({ product, theirs }: Conflict, merged: Draft) => {
      const next = { product, base: theirs, draft: merged }
      setConflict(undefined)
      setEditing(next)
      await save(next)
    },
  }
}
