import type { RecordedRows, Resource } from '../../core/http/resource.ts'
import { fileRoutes } from './routes.ts'
import type { UploadServices } from './save-uploads.ts'
import { type ServingServices, servingRoutes } from './serving-routes.ts'
import { fileKind } from './text.ts'

const exampleLink = ({ product }: RecordedRows) => ({
  fileable_type: 'product',
  fileable_id: product?.id,
  role: 'product_images',
  title: product?.title,
  product_id: product?.id,
})

const exampleDeletion = (rows: RecordedRows) => ({
  id: rows.product?.image?.id,
  result: 'in_use',
  links: [exampleLink(rows)],
})

export const files: Resource<UploadServices & ServingServices> = {
  heading: 'Files',
  description: 'Pictures, videos and digital products.',
  routes: (app, services) => {
    fileRoutes(app, services)
    servingRoutes(app, services)
  },
  kinds: { file: fileKind },
  events: { file: { permission: 'file:browse', snapshot: { table: 'file', order: 20 } } },
  examples: {
    // A file that exists in every checkout, so that the pasted command works.
    bodies: (rows) => ({
      uploadFile: { file: '@README.md', alt: 'How to start' },
      updateFile: { alt: 'A blue mug' },
      deleteUnusedFiles: { file_ids: [rows.product?.image?.id] },
    }),
    schemas: (rows) => ({
      File: rows.product?.image,
      FileLink: exampleLink(rows),
      FileDeletion: exampleDeletion(rows),
    }),
    replies: (rows) => ({
      listFileLinks: { data: { links: [exampleLink(rows)] } },
      deleteUnusedFiles: { data: { files: [exampleDeletion(rows)] } },
    }),
  },
}
