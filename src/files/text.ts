import { object, value } from '../reading/json-text.ts'
import { rowKind } from '../reading/texts.ts'
import { sqlText } from '../storage/sql.ts'
import type { StoreId } from '../storage/store-id.ts'
import { expiryOf, type FileUrls, PATH_OF, type Served } from './file-urls.ts'

interface FileRow {
  id: string
  name: string
  size: number
  alt: string
  mime_type: string
  created_at: string
  thumbnail: boolean
  is_public: boolean
  was_sold: boolean
}

/** Signs URLs for one caller; all URLs in a reply expire at the same time. */
const addresses = (urls: FileUrls, store: StoreId) => {
  const expires = expiryOf(urls.seconds)
  const permanent = (id: string) => `${urls.base}/${store}/${id}`
  const signed = (id: string, served: Served) => {
    const path = `${store}/${id}${PATH_OF[served]}`
    return `${urls.base}/${path}?expires=${expires}&signature=${urls.sign(path, expires)}`
  }
  return { permanent, signed }
}

const fileText = (file: FileRow, urls: FileUrls, store: StoreId) => {
  const { permanent, signed } = addresses(urls, store)
  const isWithheld = file.was_sold && !urls.showsSold
  const thumbnail = () => (file.is_public ? `${permanent(file.id)}${PATH_OF.thumbnail}` : signed(file.id, 'thumbnail'))
  return object({
    id: value(file.id),
    name: value(file.name),
    size: value(file.size),
    alt: value(file.alt),
    mime_type: value(file.mime_type),
    created_at: value(file.created_at),
    url: value(isWithheld ? '' : signed(file.id, 'file')),
    permanent_url: value(permanent(file.id)),
    thumbnail: value(file.thumbnail && !isWithheld ? thumbnail() : null),
  })
}

/** A single row, with a URL signed for the caller: not kept. */
export const fileKind = rowKind<FileUrls>({
  table: 'file',
  columns: sqlText`id, name, size, alt, mime_type, iso(created_at) as created_at, thumbnail, is_public, was_sold`,
  texts: (file: FileRow, store, urls) => [[file.id, fileText(file, urls, store)]],
})
