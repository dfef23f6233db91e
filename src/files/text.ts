import { object, quoted, seconds, time, value } from '../reading/json-text.ts'
import { rowKind } from '../reading/texts.ts'
import { sqlText } from '../storage/sql.ts'
import type { StoreId } from '../storage/store-id.ts'
import { expiryOf, type FileUrls, PATH_OF } from './file-urls.ts'

/** All URLs in a reply expire at the same time. */
const signedUrl = (urls: FileUrls, path: string) => {
  const expires = expiryOf(urls.seconds)
  return `${urls.base}/${path}?expires=${expires}&signature=${urls.sign(path, expires)}`
}

/** The values of a row as text. */
type FileValues = [
  id: string,
  name: string,
  size: string,
  alt: string,
  mimeType: string,
  createdAt: string,
  hasThumbnail: string,
  isPublic: string,
  wasSold: string,
]

const fileText = (file: FileValues, urls: FileUrls, store: StoreId) => {
  const [id, name, size, alt, mimeType, createdAt, hasThumbnail, isPublic, wasSold] = file
  const path = `${store}/${id}`
  const permanent = `${urls.base}/${path}`
  const isWithheld = wasSold === 'true' && !urls.showsSold
  const thumbnail = () =>
    isPublic === 'true' ? `${permanent}${PATH_OF.thumbnail}` : signedUrl(urls, `${path}${PATH_OF.thumbnail}`)
  return object({
    id: quoted(id),
    name: value(name),
    size,
    alt: value(alt),
    mime_type: value(mimeType),
    created_at: time(createdAt),
    url: quoted(isWithheld ? '' : signedUrl(urls, path)),
    permanent_url: quoted(permanent),
    thumbnail: hasThumbnail === 'true' && !isWithheld ? quoted(thumbnail()) : 'null',
  })
}

/** A single row, with a URL signed for the caller: not kept. */
export const fileKind = rowKind<FileUrls>({
  table: 'file',
  columns: [
    sqlText`id`,
    sqlText`name`,
    sqlText`size`,
    sqlText`alt`,
    sqlText`mime_type`,
    seconds(sqlText`created_at`),
    sqlText`thumbnail`,
    sqlText`is_public`,
    sqlText`was_sold`,
  ],
  texts: (file: FileValues, store, urls) => [[file[0], fileText(file, urls, store)]],
})
