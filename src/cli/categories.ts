import { createCategory, deleteCategory, listCategories, renameCategory } from '../categories/manage-categories.ts'
import type { Command } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const store = { value: 'STORE_ID', required: true, about: 'The store, as store list shows it.' }

const CATEGORY_ID = { name: 'CATEGORY_ID', about: 'The category, as category list shows it.' }

export const categoryCommands: readonly Command[] = [
  {
    name: 'category create',
    summary: 'Gives a store a product category.',
    options: { store, name: { value: 'NAME', required: true, about: 'What the category is called.' } },
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
    summary: 'Gives a product category another name; its products follow.',
    operands: [CATEGORY_ID],
    options: { name: { value: 'NAME', required: true, about: 'What the category is called from now on.' } },
    run: (input, io) =>
      withDatabase(io, 'category rename', async ({ db }) => ({
        value: await renameCategory(db, input.text('CATEGORY_ID'), input.text('name')),
      })),
  },
  {
    name: 'category delete',
    summary: 'Deletes a product category; its products stay, without one.',
    operands: [CATEGORY_ID],
    run: (input, io) =>
      withDatabase(io, 'category delete', async ({ db }) => ({
        value: await deleteCategory(db, input.text('CATEGORY_ID')),
      })),
  },
]
