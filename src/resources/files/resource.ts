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
    bodies: () => ({ uploadFile: { file: '@README.md', alt: 'How to start' }, updateFile: { alt: 'A blue mug' } }),
    schemas: (rows) => ({ File: rows.product?.image, FileLink: exampleLink(rows) }),
    replies: (rows) => ({ listFileLinks: { data: { links: [exampleLink(rows)] } } }),
  },
}
