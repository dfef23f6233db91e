import type { Static } from 'typebox'
import { Faults, invalid } from '../errors.ts'
import type { StoreId } from '../http/access.ts'
import type { Tx } from '../storage/database.ts'
import { appendLinks, countLinks, linkFiles } from './attachments.ts'
import type { FileLinks } from './file-urls.ts'
import { findFile, holdOwner } from './queries.ts'
import { ROLES_OF, roleFault, usualRole } from './rules.ts'
import { saveUpload } from './save-uploads.ts'
import type { FileFields } from './schema.ts'
import type { Upload } from './stage-upload.ts'

/** Whatever shows its files shows all of them. */
const MAX_LINKED = 250

type Fields = Static<typeof FileFields>

/** Which resource a file goes to takes two fields; a role has to fit the kind of resource, and the file its role. */
export const checkLink = ({ fileable_type, fileable_id, role }: Fields, [upload]: Upload[], faults: Faults) => {
  if (fileable_type && !fileable_id) faults.add('fileable_id', 'is required with fileable_type')
  if (fileable_id && !fileable_type) faults.add('fileable_type', 'is required with fileable_id')
  if (fileable_type && role && !ROLES_OF[fileable_type].includes(role))
    faults.add('role', `must be one of ${ROLES_OF[fileable_type].join(', ')} for a ${fileable_type}`)
  else if (fileable_type && upload) {
    const fault = roleFault(role ?? usualRole(fileable_type, upload.mimeType), upload.mimeType)
    if (fault) faults.add('file', fault)
  }
}

/** Fields that mean something only when the file is linked. */
export const idleFields = ({ fileable_type, role, order }: Fields) =>
  fileable_type ? [] : [...(role === undefined ? [] : ['role']), ...(order === undefined ? [] : ['order'])]

/** Makes a file of an upload and links it where it is to go. */
export const uploadFile = async (
  db: Tx,
  links: FileLinks,
  store: StoreId,
  upload: Upload,
  { fileable_type: kind, fileable_id: owner, role, order, alt = '' }: Fields,
): Promise<string> => {
  if (kind && owner && !(await holdOwner(db, store, kind, owner))) {
    const faults = new Faults()
    faults.add('fileable_id', `must be the id of a ${kind} of this store`)
    faults.throwIfAny()
  }
  const file = await saveUpload(db, store, upload, { alt })
  if (kind && owner) {
    const as = role ?? usualRole(kind, upload.mimeType)
    if (order === undefined) await appendLinks(db, store, kind, as, owner, [file])
    else await linkFiles(db, store, kind, as, [{ owner, file, position: order }])
    if ((await countLinks(db, store, kind, as, owner)) > MAX_LINKED)
      throw invalid({ fileable_id: [`must be a ${kind} with less than ${MAX_LINKED} files of the role ${as}`] })
  }
  return (await findFile(db, links, store, file)) as string
}
