import { createCategory, deleteCategory, listCategories, renameCategory } from '../categories/manage-categories.ts'
import type { Command } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const store = { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' }

const CATEGORY_ID = { name: 'CATEGORY_ID', about: 'Id of the category, from category list.' }

export const categoryCommands: readonly Command[] = [
  {
    name: 'category create',
    summary: 'Adds a product category to a store.',
    options: { store, name: { value: 'NAME', required: true, about: 'Name of the category.' } },
    run: (input, io) =>
      withDatabase(io, 'category create', async ({ db }) => ({
        value: await createCategory(db, input.text('store'), input.text('name')),
      })),
  },
  {
    name: 'category list',
    summary: 'Lists the product categories of a store.',
    options: { store },
    run: (input, io) =>
      withDatabase(io, 'category list', async ({ db }) => ({
        value: await listCategories(db, input.text('store')),
      })),
  },
  {
    name: 'category rename',
    summary: 'Renames a product category.',
    operands: [CATEGORY_ID],
    options: { name: { value: 'NAME', required: true, about: 'New name of the category.' } },
    run: (input, io) =>
      withDatabase(io, 'category rename', async ({ db }) => ({
        value: await renameCategory(db, input.text('CATEGORY_ID'), input.text('name')),
      })),
  },
  {
    name: 'category delete',
    summary: 'Deletes a product category. Its products are kept, without a category.',
    operands: [CATEGORY_ID],
    run: (input, io) =>
      withDatabase(io, 'category delete', async ({ db }) => ({
        value: await deleteCategory(db, input.text('CATEGORY_ID')),
      })),
  },
]
