import type { Config } from '../../config/config.ts'
import type { FileRule } from '../../core/http/multipart.ts'

export const OWNER_KINDS = ['product', 'variant', 'landing_page', 'review'] as const
export type OwnerKind = (typeof OWNER_KINDS)[number]

export const FILE_ROLES = [
  'product_images',
  'variant_image',
  'digital_product',
  'landing_page_images',
  'review_images',
  'ugc_video',
] as const
export type FileRole = (typeof FILE_ROLES)[number]

export const ROLES_BY_OWNER: Record<OwnerKind, readonly [FileRole, ...FileRole[]]> = {
  product: ['product_images', 'ugc_video', 'digital_product'],
  variant: ['variant_image', 'digital_product'],
  landing_page: ['landing_page_images'],
  review: ['review_images'],
}

const KIND_OF: Record<FileRole, 'image' | 'video' | undefined> = {
  product_images: 'image',
  variant_image: 'image',
  landing_page_images: 'image',
  review_images: 'image',
  ugc_video: 'video',
  digital_product: undefined,
}

/** The error for a file of this type in this role, if any. */
export const roleFault = (role: FileRole, mimeType: string): string | undefined => {
  const kind = KIND_OF[role]
  if (!kind || mimeType.startsWith(`${kind}/`)) return undefined
  return `must be ${kind === 'image' ? 'an image' : 'a video'}, not ${mimeType}`
}

/** The role of a file if the caller names none. */
export const defaultRole = (kind: OwnerKind, mimeType: string): FileRole => {
  const roles = ROLES_BY_OWNER[kind]
  if (mimeType.startsWith('image/')) return roles[0]
  if (mimeType.startsWith('video/') && roles.includes('ugc_video')) return 'ugc_video'
  return roles.includes('digital_product') ? 'digital_product' : roles[0]
}

const MB = 1024 * 1024

/** `images[]` of products and reviews. */
export const IMAGE_FILES: FileRule = {
  maxFiles: 50,
  maxBytes: 5 * MB,
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
}

export const uploadBytes = (config: Config) => config.MAX_UPLOAD_MB * MB

/** `files[]` of products: what the buyer of a digital product downloads. */
export const digitalFiles = (config: Config): FileRule => ({ maxFiles: 100, maxBytes: uploadBytes(config) })

/** Types that browsers may display. Everything else is downloaded; SVG too, because it can contain scripts. */
export const isShownInline = (mimeType: string) =>
  /^(image\/(jpeg|png|webp|gif|avif|bmp)|(audio|video)\/.+)$/.test(mimeType)
