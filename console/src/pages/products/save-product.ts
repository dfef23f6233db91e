import type { Client } from '../../api/store.tsx'
import { isConflict } from '../../components/describe-error.ts'
import { type Draft, draftOf } from './draft.ts'
import type { Product } from './labels.ts'
import { differences, isStockOnly, mergeDrafts } from './merge.ts'
import { changesOf, type ProductChanges } from './product-changes.ts'

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

const MAX_MERGES = 3

export type NewProduct = Parameters<Client['products']['create']>[0]

/** What a save needs beside the product. */
interface Saving {
  client: Client
  /** Creates it once, however often it is sent. */
  create: (body: NewProduct) => Promise<Product>
  /** Told what each attempt sends: its errors are about that. */
  onSend: (changes: ProductChanges) => void
  /** Says that somebody else has changed the alternative text of a picture. */
  altFailed: string
}

const saveAlts = async ({ client, altFailed }: Saving, saved: Product, { alts }: ProductChanges, before: Draft) => {
  if (alts.size === 0) return saved
  const known = new Map(before.images.map(({ id, alt }) => [id, alt]))
  for (const [id, alt] of alts) {
    const newest = await client.files.get(id)
    if (newest.alt !== (known.get(id) ?? newest.alt)) throw new Error(altFailed)
    await client.files.update(id, { alt }, { ifMatch: newest })
  }
  return client.products.get(saved.id)
}

/** Saves against the newest version where only the stock has changed since; otherwise the person decides. */
const update = async (
  saving: Saving,
  from: Product,
  { base, draft }: Editing,
  merges = 0,
): Promise<{ saved: Product } | { conflict: Conflict }> => {
  const { client, onSend } = saving
  const changes = changesOf(base, draft)
  onSend(changes)
  try {
    const needsUpdate = Object.keys(changes.body).length > 0
    const saved = needsUpdate ? await client.products.update(from.id, changes.body, { ifMatch: from }) : from
    return { saved: await saveAlts(saving, saved, changes, base) }
  } catch (error) {
    if (!isConflict(error)) throw error
    const newest = await client.products.get(from.id)
    const versions = { base, mine: draft, theirs: draftOf(newest) }
    if (!isStockOnly(differences(versions)) || merges >= MAX_MERGES)
      return { conflict: { product: newest, ...versions } }
    const merged = { base: versions.theirs, draft: mergeDrafts(versions, new Map()) }
    return update(saving, newest, merged, merges + 1)
  }
}

const create = async (saving: Saving, { base, draft }: Editing) => {
  const changes = changesOf(base, draft)
  saving.onSend(changes)
  const saved = await saving.create({ ...changes.body, title: draft.title } as NewProduct)
  return { saved: await saveAlts(saving, saved, changes, base) }
}

export const saveProduct = (
  saving: Saving,
  editing: Editing,
): Promise<{ saved: Product; conflict?: never } | { conflict: Conflict; saved?: never }> =>
  editing.product ? update(saving, editing.product, editing) : create(saving, editing)

/** Deletes the product if nothing but its stock has changed since it was read. */
export const deleteProduct = async (client: Client, seen: Product): Promise<void> => {
  try {
    await client.products.delete(seen.id, { ifMatch: seen })
  } catch (error) {
    if (!isConflict(error)) throw error
    const newest = await client.products.get(seen.id)
    const [base, theirs] = [draftOf(seen), draftOf(newest)]
    if (!isStockOnly(differences({ base, mine: base, theirs }))) throw error
    await deleteProduct(client, newest)
  }
}
