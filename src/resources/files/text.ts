import { type JsonText, NULL, object, quoted, seconds, time, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { expiryOf, type FileUrls, PATH_OF } from './file-urls.ts'
import type { File } from './schema.ts'

/** All URLs in a reply expire at the same time. */
const signedUrl = (urls: FileUrls, path: string) => {
  const expires = expiryOf(urls.seconds)
  return `${urls.base}/${path}?expires=${expires}&signature=${urls.sign(path, expires)}`
}

const COLUMNS = {
  id: sqlText`id`,
  name: sqlText`name`,
  size: sqlText`size`,
  alt: sqlText`alt`,
  mime_type: sqlText`mime_type`,
  created_at: seconds(sqlText`created_at`),
  updated_at: seconds(sqlText`updated_at`),
  thumbnail: sqlText`thumbnail`,
  is_public: sqlText`is_public`,
  was_sold: sqlText`was_sold`,
}

type FileRow = Record<keyof typeof COLUMNS, string> & { size: JsonText<number> }

const fileText = (file: FileRow, urls: FileUrls, store: StoreId) => {
  const path = `${store}/${file.id}`
  const permanent = `${urls.base}/${path}`
  const isWithheld = file.was_sold === 'true' && !urls.showsSold
  const thumbnail = () =>
    file.is_public === 'true' ? `${permanent}${PATH_OF.thumbnail}` : signedUrl(urls, `${path}${PATH_OF.thumbnail}`)
  return object<File>({
    id: quoted(file.id),
    name: value(file.name),
    size: file.size,
    alt: value(file.alt),
    mime_type: value(file.mime_type),
    created_at: time(file.created_at),
    updated_at: time(file.updated_at),
    url: quoted(isWithheld ? '' : signedUrl(urls, path)),
    permanent_url: quoted(permanent),
    thumbnail: file.thumbnail === 'true' && !isWithheld ? quoted(thumbnail()) : NULL,
  })
}

/** A single row, with a URL signed for the caller: not kept. */
export const fileKind = rowKind<FileUrls>({
  table: 'file',
  columns: COLUMNS,
  texts: (file: FileRow, store, urls) => [[file.id, fileText(file, urls, store)]],
})
