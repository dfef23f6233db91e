import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Category } from '../../../../client/src/index.ts'
import { useStore } from '../../api/store.tsx'
import { TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { useProductWords } from '../products/words.ts'

/** Its products show a new name, too. */
export const useRenew = () => {
  const queries = useQueryClient()
  const { store } = useStore()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: [store.id, 'categories'] }),
      queries.invalidateQueries({ queryKey: [store.id, 'products'] }),
    ])
}

interface CategoryDialogProps {
  category?: Category
  /** With what was saved. */
  onSaved?: (category: Category) => void
  onClose: () => void
}

/** A new category, or another name for one. */
export const CategoryDialog = ({ category, onSaved, onClose }: CategoryDialogProps) => {
  const words = useProductWords()
  const { controls } = useMessages()
  const { client } = useStore()
  const renew = useRenew()
  const toast = useToast()
  const create = useCreate(client.categories.create, (made: Category, body) => client.categories.update(made.id, body))
  const saved = useRef<Category>(undefined)
  const form = useForm(
    { name: category?.name ?? '' },
    async (_changes, { name }, newest: Category | undefined) => {
      saved.current = category
        ? await client.categories.update(category.id, { name }, { ifMatch: newest ?? category })
        : await create({ name })
    },
    category && { read: () => client.categories.get(category.id), valuesOf: ({ name }) => ({ name }) },
  )
  return (
    <FormDialog
      title={category ? words.renameCategoryOf(category.name) : words.newCategory}
      act={controls.save}
      form={form}
      shown={['name']}
      onDone={async () => {
        await renew()
        if (saved.current) onSaved?.(saved.current)
        toast(words.categorySaved)
      }}
      onClose={onClose}
      onReload={() => renew().then(onClose)}
    >
      <TextField label={words.categoryName} dir="auto" maxLength={255} required autoFocus {...form.field('name')} />
    </FormDialog>
  )
}
