import type { Resource } from '../http/resource.ts'
import { fileRoutes } from './routes.ts'
import type { UploadServices } from './save-uploads.ts'
import { type ServingServices, servingRoutes } from './serving-routes.ts'

export const files: Resource<UploadServices & ServingServices> = {
  heading: 'Files',
  description: 'Pictures, videos and digital products.',
  routes: (app, services) => {
    fileRoutes(app, services)
    servingRoutes(app, services)
  },
  examples: {
    // A file that exists in every checkout, so that the pasted command works.
    bodies: () => ({ uploadFile: { file: '@README.md', alt: 'How to start' }, updateFile: { alt: 'A blue mug' } }),
    schemas: ({ product }) => ({ File: product.image }),
  },
}
