import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { File as FileIcon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import list from '../../components/ListPage.module.css'
import { Loaded } from '../../components/Loaded.tsx'
import { apiQuery } from '../../components/list-query.ts'
import { Page, Surface } from '../../components/Page.tsx'
import { SavedViews } from '../../components/SavedViews.tsx'
import { SelectionBar } from '../../components/SelectionBar.tsx'
import { useToast } from '../../components/Toast.tsx'
import { DropZone, UploadList, useUploads } from '../../components/Uploads.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useRemaining } from '../../components/useDelete.ts'
import { useRange } from '../../components/useRange.ts'
import { useRowKeys } from '../../components/useRowKeys.ts'
import { useSelection } from '../../components/useSelection.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { DeleteFiles } from './DeleteFiles.tsx'
import { FileDialog } from './FileDialog.tsx'
import styles from './FilesPage.module.css'
import { Preview, type StoredFile, useSize } from './file-look.tsx'
import { useFilesTitle } from './title.ts'
import { useFileWords } from './words.ts'

const keyOf = ({ id }: StoredFile) => id

const PAGE_SIZE = 48
const PARAMETERS = ['mime_type', 'linked', 'fileable_type', 'fileable_id']
const VIEWS = {
  all: '',
  images: 'mime_type=image/*',
  videos: 'mime_type=video/*',
  documents: 'mime_type=application/*,text/*',
  unused: 'linked=false',
} as const

/** `image/svg+xml` is «SVG». */
const shortType = (type: string) =>
  (type.split('/')[1] ?? type)
    .replace(/^(x-|vnd\.)/, '')
    .replace(/\+.*/, '')
    .split('.')
    .at(-1)
    ?.toUpperCase() ?? type

const FilesPage = () => {
  const words = useFileWords()
  const { controls } = useMessages()
  const title = useFilesTitle()
  const { locale } = useWords()
  const { store, client, can } = useStore()
  const { params, change } = useAddress()
  const queries = useQueryClient()
  const toast = useToast()
  const size = useSize()
  const [opened, setOpened] = useState<StoredFile>()
  const [deleting, setDeleting] = useState<Changing<StoredFile>>()
  const { selected, change: select, replace } = useSelection(keyOf)
  const query = apiQuery(params, PARAMETERS)
  const asked = useInfiniteQuery({
    queryKey: [store.id, 'files', query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      client.files.list({ ...query, page_size: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'files'] })
  const { uploads, add, retry, remove } = useUploads(
    (file, options) => client.files.upload(file, {}, options),
    () => {
      toast(words.uploaded(1))
      renew()
    },
  )
  const read = data?.pages.flatMap((page) => page.files) ?? []
  const files = useRemaining(read, keyOf)
  const total = (data?.pages[0]?.pagination.total ?? 0) - (read.length - files.length)
  const number = (value: number) => numberFormat(locale).format(value)
  const selectRow = useRange(files, keyOf, select)
  const [current, setCurrent] = useRowKeys({
    rows: files,
    toggle: can('file:delete') ? (file) => select([file], !selected.has(file.id)) : undefined,
  })
  const isFiltered = Object.keys(query).length > 0
  return (
    <Page title={title}>
      {can('file:upload') && (
        <DropZone hint={words.drop} choose={words.choose} help={words.help} onFiles={add}>
          {uploads.length > 0 && <UploadList uploads={uploads} onRetry={retry} onRemove={remove} />}
        </DropZone>
      )}
      <Surface>
        <SavedViews
          list="files"
          ready={!asked.isPending}
          builtIn={Object.entries(VIEWS).map(([name, query]) => ({
            name: words.views[name as keyof typeof VIEWS],
            query,
          }))}
        />
        <div className={list.filters}>
          <SelectField
            label={words.usedBy}
            hideLabel
            value={params.get('fileable_type') ?? ''}
            choices={[
              { value: '', label: controls.labelled(words.usedBy, controls.any) },
              ...Object.entries(words.usedIn).map(([value, label]) => ({ value, label })),
            ]}
            onChange={({ target }) =>
              change({ fileable_type: target.value, fileable_id: undefined, linked: undefined })
            }
          />
          {isFiltered && (
            <Button
              kind="quiet"
              onClick={() => change(Object.fromEntries(PARAMETERS.map((name) => [name, undefined])))}
            >
              {controls.clear}
            </Button>
          )}
        </div>
        {selected.size > 0 && (
          <SelectionBar count={selected.size} onClear={() => replace([])}>
            <Button
              kind="danger"
              icon={<Trash2 />}
              onClick={() => setDeleting({ chosen: [...selected.values()], matching: { total, query }, done: replace })}
            >
              {controls.delete}
            </Button>
          </SelectionBar>
        )}
        <Loaded query={asked}>
          {files.length === 0 ? (
            <Empty title={isFiltered ? words.noMatch : words.empty} icon={<FileIcon />}>
              {isFiltered ? words.noMatchHelp : words.emptyHelp}
            </Empty>
          ) : (
            <ul className={styles.grid}>
              {files.map((file, place) => (
                <li
                  key={file.id}
                  data-current={place === current || undefined}
                  data-selected={selected.has(file.id) || undefined}
                >
                  <button
                    type="button"
                    data-row={place}
                    onFocus={() => setCurrent(place)}
                    onClick={() => setOpened(file)}
                  >
                    <Preview file={file} />
                    <span className={styles.name} dir="auto">
                      {file.name}
                    </span>
                    <small>
                      <bdi>{shortType(file.mime_type)}</bdi> · <bdi>{size(file.size)}</bdi>
                    </small>
                  </button>
                  {can('file:delete') && (
                    <label className={styles.tick}>
                      <input
                        type="checkbox"
                        aria-label={controls.selectRow(file.name)}
                        checked={selected.has(file.id)}
                        onChange={({ target, nativeEvent }) =>
                          selectRow(place, target.checked, (nativeEvent as MouseEvent).shiftKey === true)
                        }
                      />
                    </label>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Surface>
      {files.length > 0 && (
        <div className={styles.below}>
          <span>{words.shown(number(files.length), number(total))}</span>
          {hasNextPage && (
            <Button busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
              {words.more}
            </Button>
          )}
        </div>
      )}
      {deleting && <DeleteFiles {...deleting} onClose={() => setDeleting(undefined)} />}
      {opened && (
        <FileDialog id={opened.id} name={opened.name} onChanged={renew} onClose={() => setOpened(undefined)} />
      )}
    </Page>
  )
}

export default FilesPage
