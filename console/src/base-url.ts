/** Where the console is: `/console`, or below the path of a proxy. The server writes it into the page. */
export const base = document.documentElement.dataset.base ?? '/console'

const service = base.replace(/\/console$/, '')

export const apiBase = `${service}/api/apps/v1`

/** The OpenAPI document of this server. */
export const documentUrl = `${service}/openapi.json`
