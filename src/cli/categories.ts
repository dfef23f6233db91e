import { createCategory, deleteCategory, listCategories, updateCategory } from '../resources/categories/queries.ts'
import { NewCategory } from '../resources/categories/schema.ts'
import { requireStore } from '../resources/stores/queries.ts'
import type { Command, Input } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { findStoreOf, withFields } from './fields.ts'
import { recordedInStore } from './recorded.ts'

const store = { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' }

const CATEGORY_ID = { name: 'CATEGORY_ID', about: 'Id of the category, from category list.' }

const readFields = (input: Input) => ({ name: input.text('name') })

export const categoryCommands: readonly Command[] = [
  {
    name: 'category create',
    summary: 'Adds a product category to a store.',
    options: { store, name: { value: 'NAME', required: true, about: 'Name of the category.' } },
    run: (input, io) =>
      withDatabase(io, 'category create', async ({ db }) => {
        const store = await requireStore(db, input.text('store'))
        const create = (category: NewCategory) =>
          recordedInStore(db, 'category create', store, (db) => createCategory(db, store, category))
        return { value: await withFields(NewCategory, readFields(input), create) }
      }),
  },
  {
    name: 'category list',
    summary: 'Lists the product categories of a store.',
    options: { store },
    run: (input, io) =>
      withDatabase(io, 'category list', async ({ db }) => ({
        value: await listCategories(db, await requireStore(db, input.text('store'))),
      })),
  },
  {
    name: 'category rename',
    summary: 'Renames a product category.',
    operands: [CATEGORY_ID],
    options: { name: { value: 'NAME', required: true, about: 'New name of the category.' } },
    run: (input, io) =>
      withDatabase(io, 'category rename', async ({ db }) => {
        const id = input.text('CATEGORY_ID')
        const store = await findStoreOf(db, 'category', id, 'category')
        const rename = (category: NewCategory) =>
          recordedInStore(db, 'category rename', store, (db) => updateCategory(db, store, id, category))
        return { value: await withFields(NewCategory, readFields(input), rename) }
      }),
  },
  {
    name: 'category delete',
    summary: 'Deletes a product category. Its products are kept, without a category.',
    operands: [CATEGORY_ID],
    run: (input, io) =>
      withDatabase(io, 'category delete', async ({ db }) => {
        const id = input.text('CATEGORY_ID')
        const store = await findStoreOf(db, 'category', id, 'category')
        return { value: await recordedInStore(db, 'category delete', store, (db) => deleteCategory(db, store, id)) }
      }),
  },
]
