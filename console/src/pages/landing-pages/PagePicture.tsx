import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Client, useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { DropZone, UploadList, useUploads } from '../../components/Uploads.tsx'
import { useProductWords } from '../products/words.ts'
import styles from './LandingPagePage.module.css'
import { useLandingPageWords } from './words.ts'

type StoredFile = Awaited<ReturnType<Client['files']['get']>>

const MAX_SHOWN = 48

/** Pictures that may be shown in public: those of the page, then those of products, its own first. */
const usePictures = (page: string | undefined, product: string | undefined) => {
  const { store, client } = useStore()
  const of = (fileable_type: 'landing_page' | 'product', fileable_id?: string) => {
    const query = { fileable_type, mime_type: ['image/*'], page_size: MAX_SHOWN, total: false }
    return client.files.list({ ...query, ...(fileable_id && { fileable_id }) })
  }
  return useQuery({
    queryKey: [store.id, 'files', 'of-page', page, product],
    queryFn: async () => {
      const lists = await Promise.all([
        page ? of('landing_page', page) : undefined,
        product ? of('product', product) : undefined,
        of('product'),
      ])
      const files = lists.flatMap((list) => list?.files ?? [])
      return [...new Map(files.map((file) => [file.id, file])).values()]
    },
  })
}

const Chooser = ({
  page,
  product,
  onChoose,
  onClose,
}: {
  page: string | undefined
  product: string | undefined
  onChoose: (file: StoredFile) => void
  onClose: () => void
}) => {
  const words = useLandingPageWords()
  const products = useProductWords()
  const { client, can } = useStore()
  const query = usePictures(page, product)
  const { data: pictures } = query
  const { uploads, add, retry, remove } = useUploads(
    (file, options) =>
      client.files.upload(file, { fileable_type: 'landing_page', fileable_id: page as string }, options),
    onChoose,
  )
  return (
    <Dialog title={words.choosePicture} onClose={onClose} wide>
      {page && can('file:upload') && (
        <DropZone
          accept="image/jpeg,image/png,image/webp,image/gif"
          hint={products.media.picture.drop}
          choose={products.media.picture.choose}
          onFiles={(files) => add(files.slice(0, 1))}
        >
          <UploadList uploads={uploads} onRetry={retry} onRemove={remove} />
        </DropZone>
      )}
      <Loaded query={query}>
        {pictures?.length === 0 && <p>{words.noPictures}</p>}
        <ul className={styles.pictures}>
          {pictures?.map((file) => (
            <li key={file.id}>
              <button type="button" aria-label={file.alt || file.name} onClick={() => onChoose(file)}>
                <img src={file.thumbnail ?? file.url} alt="" loading="lazy" />
              </button>
            </li>
          ))}
        </ul>
      </Loaded>
    </Dialog>
  )
}

const isServedHere = (address: string) => URL.canParse(address) && new URL(address).origin === location.origin

/** The picture of a page, and a dialog that chooses or uploads one. */
export const PagePicture = ({
  address,
  errors,
  disabled,
  page,
  product,
  onChange,
}: {
  /** Of the picture; empty if there is none. */
  address: string
  errors: readonly string[] | undefined
  disabled: boolean
  /** Id of the page. A page that does not exist yet has no pictures of its own. */
  page: string | undefined
  product: string | undefined
  onChange: (address: string) => void
}) => {
  const words = useLandingPageWords()
  const { can } = useStore()
  const [opened, setOpened] = useState(false)
  return (
    <div className={styles.picker}>
      <span className={styles.label}>{words.screenshot}</span>
      <div>
        {isServedHere(address) ? <img src={address} alt="" /> : <span className={styles.noImage} />}
        <span>{address && !isServedHere(address) ? <Ltr>{address}</Ltr> : ''}</span>
        {!disabled && address && <Button onClick={() => onChange('')}>{words.removePicture}</Button>}
        {!disabled && can('file:browse') && <Button onClick={() => setOpened(true)}>{words.choosePicture}</Button>}
      </div>
      {errors && errors.length > 0 && <p className={styles.error}>{errors.join(', ')}</p>}
      {opened && (
        <Chooser
          page={page}
          product={product}
          onChoose={({ permanent_url }) => {
            onChange(permanent_url)
            setOpened(false)
          }}
          onClose={() => setOpened(false)}
        />
      )}
    </div>
  )
}
