import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { PencilLine, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Category } from '../../../../client/src/index.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { CreateButton } from '../../components/CreateButton.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Newest } from '../../components/Newest.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Pager } from '../../components/Pager.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useRowKeys } from '../../components/useRowKeys.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from './CategoriesPage.module.css'
import { CategoryDialog, useRenew } from './CategoryDialog.tsx'

const PAGE_SIZE = 50

const CategoriesPage = () => {
  const { products: words, controls } = useMessages()
  const { store, client, can } = useStore()
  const { params } = useAddress()
  const renew = useRenew()
  const toast = useToast()
  const [editing, setEditing] = useState<Category | 'new'>()
  const [deleting, setDeleting] = useState<Category>()
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
  const categories = data?.categories ?? []
  const [current, setCurrent] = useRowKeys({ rows: categories })
  return (
    <Page
      title={words.categories}
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
                      onClick={() => setDeleting(category)}
                    />
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Surface>
      {data && (
        <Pager total={data.pagination.total ?? 0} shown={categories.length} next={data.pagination.next_cursor} />
      )}
      {editing === 'new' && <CategoryDialog onClose={() => setEditing(undefined)} />}
      {editing && editing !== 'new' && (
        <Newest name="categories" id={editing.id} get={(id) => client.categories.get(id)}>
          {(category) => <CategoryDialog category={category} onClose={() => setEditing(undefined)} />}
        </Newest>
      )}
      {deleting && (
        <Newest name="categories" id={deleting.id} get={(id) => client.categories.get(id)}>
          {(category) => (
            <Confirm
              title={words.deleteCategoryAsk(category.name)}
              act={controls.delete}
              danger
              onClose={() => setDeleting(undefined)}
              onConfirm={async () => {
                await client.categories.delete(category.id, { ifMatch: category })
                await renew()
                toast(words.categoryDeleted)
              }}
            >
              {words.deleteCategoryHelp}
            </Confirm>
          )}
        </Newest>
      )}
    </Page>
  )
}

export default CategoriesPage
