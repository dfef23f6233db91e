import { useQueryClient } from '@tanstack/react-query'
import { startTransition, useCallback, useMemo, useRef, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { useToast } from '../../components/Toast.tsx'
import { isUploading, uploadsArrive } from '../../components/Uploads.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useUnsaved } from '../../components/useUnsaved.ts'
import { type Draft, draftOf } from './draft.ts'
import type { Product } from './labels.ts'
import { changesOf, isChanged, type ProductChanges } from './product-changes.ts'
import { type Conflict, deleteProduct, type Editing, type NewProduct, saveProduct } from './save-product.ts'
import { useProductWords } from './words.ts'

type DraftChange = Partial<Draft> | ((draft: Draft) => Partial<Draft>)

/**
 * What was read and what was typed. What is shown may be behind: a thousand variants are drawn when there is time. What is
 * saved, kept or asked about is always the newest.
 */
const useEditing = (initial: Editing) => {
  const [shown, setShown] = useState<Editing>(initial)
  const newest = useRef(shown)
  const set = useCallback((next: Editing) => {
    newest.current = next
    setShown(next)
  }, [])
  const changed = useCallback((changes: DraftChange) => {
    const { draft } = newest.current
    newest.current = {
      ...newest.current,
      draft: { ...draft, ...(typeof changes === 'function' ? changes(draft) : changes) },
    }
    return newest.current
  }, [])
  const change = useCallback((changes: DraftChange) => setShown(changed(changes)), [changed])
  const type = useCallback(
    (changes: DraftChange) => {
      const next = changed(changes)
      startTransition(() => setShown(next))
    },
    [changed],
  )
  return { shown, newest, set, change, type }
}

/** The state of the product page: what was read, what was typed, and how it is saved. */
export const useProductDraft = (initial: Editing) => {
  const words = useProductWords()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const { shown, newest, set, change, type } = useEditing(initial)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  /** What the last attempt sent: its errors are about that. */
  const [sent, setSent] = useState<ProductChanges>()
  const [conflict, setConflict] = useState<Conflict>()
  const { product, base, draft } = shown
  const isDirty = useMemo(() => isChanged(changesOf(base, draft)), [base, draft])
  const isDirtyNow = () => isChanged(changesOf(newest.current.base, newest.current.draft))
  const { release } = useUnsaved(() => isDirtyNow() || isUploading())

  // A newer version replaces what is shown, unless something was typed.
  const read = initial.product
  if (read && read !== product && !busy && read.updated_at >= (product?.updated_at ?? '') && !isDirtyNow())
    set({ product: read, base: initial.base, draft: initial.draft })

  const create = useCreate<NewProduct, Product>(client.products.create, (made, body) =>
    client.products.update(made.id, body),
  )
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'products'] })

  /** The product as it was saved, or nothing if it was not. */
  const save = async (): Promise<Product | undefined> => {
    setBusy(true)
    setError(undefined)
    try {
      // Files that are on their way belong to what is saved.
      if (!(await uploadsArrive())) throw new Error(words.uploadFailed)
      const given = newest.current
      const { saved, conflict } = await saveProduct(
        { client, create, onSend: setSent, altFailed: words.altFailed },
        given,
      )
      if (conflict) setConflict(conflict)
      if (!saved) return undefined
      const draft = draftOf(saved)
      set({ product: saved, base: draft, draft })
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
    isDirtyNow,
    busy,
    error,
    sent,
    conflict,
    change,
    /** For what is typed into one of many fields: drawn when there is time. */
    type,
    discard: () => {
      set({ ...newest.current, draft: newest.current.base })
      setError(undefined)
    },
    save,
    remove: (seen: Product) => deleteProduct(client, seen),
    release,
    renew,
    closeConflict: () => setConflict(undefined),
    /** Goes on from the newest version with what was chosen. */
    resolve: async ({ product, theirs }: Conflict, merged: Draft) => {
      setConflict(undefined)
      set({ product, base: theirs, draft: merged })
      await save()
    },
  }
}
