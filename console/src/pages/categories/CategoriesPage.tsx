import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { PencilLine, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Category } from '../../../../client/src/index.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { CreateButton } from '../../components/CreateButton.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Newest } from '../../components/Newest.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Pager } from '../../components/Pager.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useDelete, useRemaining } from '../../components/useDelete.ts'
import { useRowKeys } from '../../components/useRowKeys.ts'
import { useMessages } from '../../messages/messages.ts'
import { useProductWords } from '../products/words.ts'
import styles from './CategoriesPage.module.css'
import { CategoryDialog, useRenew } from './CategoryDialog.tsx'
import { useCategoriesTitle } from './title.ts'

const PAGE_SIZE = 50

/** The same one each time. */
const NONE: readonly never[] = []

const CategoriesPage = () => {
  const words = useProductWords()
  const { controls } = useMessages()
  const title = useCategoriesTitle()
  const { store, client, can } = useStore()
  const { params } = useAddress()
  const renew = useRenew()
  const remove = useDelete()
  const [editing, setEditing] = useState<Category | 'new'>()
  const cursor = params.get('cursor')
  const asked = useQuery({
    queryKey: [store.id, 'categories', cursor],
    queryFn: ({ signal }) =>
      client.categories.list(
        { order_by: 'name', order_direction: 'ASC', page_size: PAGE_SIZE, ...(cursor && { cursor }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })
  const { data } = asked
  const read = data?.categories ?? NONE
  const categories = useRemaining(read, ({ id }) => id)
  const [current, setCurrent] = useRowKeys({ rows: categories })
  return (
    <Page
      title={title}
      actions={can('product:create') && <CreateButton label={words.addCategory} onCreate={() => setEditing('new')} />}
    >
      <Surface>
        <Loaded query={asked}>
          {categories.length === 0 ? (
            <Empty title={words.noCategories} icon={<Tags />}>
              {words.noCategoriesHelp}
            </Empty>
          ) : (
            <ul className={styles.list}>
              {categories.map((category, place) => (
                <li key={category.id} data-current={place === current || undefined}>
                  <Link
                    data-row={place}
                    onFocus={() => setCurrent(place)}
                    href={`/s/${store.id}/products?category=${category.id}`}
                    title={words.productsOf(category.name)}
                  >
                    <bdi>{category.name}</bdi>
                  </Link>
                  {can('product:update') && (
                    <Button
                      kind="quiet"
                      icon={<PencilLine />}
                      aria-label={words.renameCategoryOf(category.name)}
                      onClick={() => setEditing(category)}
                    />
                  )}
                  {can('product:delete') && (
                    <Button
                      kind="quiet"
                      icon={<Trash2 />}
                      aria-label={words.deleteCategoryOf(category.name)}
                      onClick={() =>
                        remove({
                          rows: [category],
                          read: client.categories.get,
                          remove: client.categories.delete,
                          done: `${controls.labelled(words.categoryDeleted, category.name)}. ${words.deleteCategoryHelp}`,
                          renew,
                        })
                      }
                    />
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Surface>
      {data && (
        <Pager
          total={(data.pagination.total ?? 0) - (read.length - categories.length)}
          shown={categories.length}
          next={data.pagination.next_cursor}
        />
      )}
      {editing === 'new' && <CategoryDialog onClose={() => setEditing(undefined)} />}
      {editing && editing !== 'new' && (
        <Newest name="categories" id={editing.id} get={(id) => client.categories.get(id)}>
          {(category) => <CategoryDialog category={category} onClose={() => setEditing(undefined)} />}
        </Newest>
      )}
    </Page>
  )
}

export default CategoriesPage
