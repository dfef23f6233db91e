import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Upload } from '../../core/http/multipart.ts'
import type { Tx } from '../../core/storage/database.ts'
import { invalid, ValidationErrors } from '../../errors.ts'
import { appendAttachments, attachFiles, countLinks } from './attachments.ts'
import { lockOwner } from './queries.ts'
import { defaultRole, ROLES_BY_OWNER, roleFault } from './rules.ts'
import { saveUpload } from './save-uploads.ts'
import type { FileFields } from './schema.ts'

/** Every reply shows all files of a resource, so their number is limited. */
const MAX_LINKED = 250

type Fields = Static<typeof FileFields>

/** `fileable_type` and `fileable_id` go together, the role must fit the resource, and the file must fit the role. */
export const checkAttachment = (
  { fileable_type, fileable_id, role }: Fields,
  [upload]: Upload[],
  errors: ValidationErrors,
) => {
  if (fileable_type && !fileable_id) errors.add('fileable_id', 'is required with fileable_type')
  if (fileable_id && !fileable_type) errors.add('fileable_type', 'is required with fileable_id')
  if (fileable_type && role && !ROLES_BY_OWNER[fileable_type].includes(role))
    errors.add('role', `must be one of ${ROLES_BY_OWNER[fileable_type].join(', ')} for a ${fileable_type}`)
  else if (fileable_type && upload) {
    const fault = roleFault(role ?? defaultRole(fileable_type, upload.mimeType), upload.mimeType)
    if (fault) errors.add('file', fault)
  }
}

/** Fields that only matter when the file is linked. */
export const unusedFields = ({ fileable_type, role, order }: Fields) =>
  fileable_type ? [] : [...(role === undefined ? [] : ['role']), ...(order === undefined ? [] : ['order'])]

/** Creates a file from an upload and links it to its resource. */
export const uploadFile = async (
  db: Tx,
  { store, texts }: FastifyRequest,
  upload: Upload,
  { fileable_type: kind, fileable_id: owner, role, order, alt = '' }: Fields,
): Promise<string> => {
  if (kind && owner && !(await lockOwner(db, store, kind, owner))) {
    const errors = new ValidationErrors()
    errors.add('fileable_id', `must be the id of a ${kind} of this store`)
    errors.throwIfAny()
  }
  const file = await saveUpload(db, store, upload, { alt })
  if (kind && owner) {
    const as = role ?? defaultRole(kind, upload.mimeType)
    if (order === undefined) await appendAttachments(db, store, kind, as, owner, [file])
    else await attachFiles(db, store, kind, as, [{ owner, file, position: order }])
    if ((await countLinks(db, store, kind, as, owner)) > MAX_LINKED)
      throw invalid({ fileable_id: [`must be a ${kind} with fewer than ${MAX_LINKED} files in the role ${as}`] })
  }
  if (kind && owner) await texts.keep(db, kind, owner)
  return (await texts.one(db, 'file', file)) as string
}
