const CRUD = ['view', 'create', 'update', 'delete'] as const

/** All permissions, used by types, validation, the command line and GET /permission. */
export const CATALOGUE = {
  product: CRUD,
  customer: CRUD,
  review: CRUD,
  shipping: CRUD,
  domain: CRUD,
  bundle: CRUD,
  policy: CRUD,
  order: [...CRUD, 'export'],
  landing_page: [...CRUD, 'publish'],
  setting: ['view', 'update'],
  payment_method: ['view', 'update'],
  analytic: ['view'],
  plan: ['switch'],
  invoice: ['view', 'pay'],
  file: ['browse', 'upload', 'delete'],
  app: ['install', 'uninstall', 'boot'],
} as const

type Catalogue = typeof CATALOGUE
export type Permission = { [S in keyof Catalogue]: `${S}:${Catalogue[S][number]}` }[keyof Catalogue]

export const PERMISSIONS = Object.entries(CATALOGUE).flatMap(([subject, actions]) =>
  actions.map((action) => `${subject}:${action}` as Permission),
)

export const isPermission = (text: string): text is Permission => (PERMISSIONS as string[]).includes(text)

/** Said wherever a person grants permissions. */
export const CUSTOMER_VIEW_NOTE = 'customer:view also shows the whole latest order of each customer.'
