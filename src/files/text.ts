import { object, quoted, value } from '../reading/json-text.ts'
import { rowKind } from '../reading/texts.ts'
import { sqlText } from '../storage/sql.ts'
import type { StoreId } from '../storage/store-id.ts'
import { expiryOf, type FileUrls, PATH_OF } from './file-urls.ts'

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

/** All URLs in a reply expire at the same time. */
const signedUrl = (urls: FileUrls, path: string) => {
  const expires = expiryOf(urls.seconds)
  return `${urls.base}/${path}?expires=${expires}&signature=${urls.sign(path, expires)}`
}

const fileText = (file: FileRow, urls: FileUrls, store: StoreId) => {
  const path = `${store}/${file.id}`
  const permanent = `${urls.base}/${path}`
  const isWithheld = file.was_sold && !urls.showsSold
  const thumbnail = () =>
    file.is_public ? `${permanent}${PATH_OF.thumbnail}` : signedUrl(urls, `${path}${PATH_OF.thumbnail}`)
  return object({
    id: quoted(file.id),
    name: value(file.name),
    size: value(file.size),
    alt: value(file.alt),
    mime_type: value(file.mime_type),
    created_at: quoted(file.created_at),
    url: quoted(isWithheld ? '' : signedUrl(urls, path)),
    permanent_url: quoted(permanent),
    thumbnail: file.thumbnail && !isWithheld ? quoted(thumbnail()) : 'null',
  })
}

/** A single row, with a URL signed for the caller: not kept. */
export const fileKind = rowKind<FileUrls>({
  table: 'file',
  columns: sqlText`id, name, size, alt, mime_type, iso(created_at) as created_at, thumbnail, is_public, was_sold`,
  texts: (file: FileRow, store, urls) => [[file.id, fileText(file, urls, store)]],
})
