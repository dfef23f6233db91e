/** Where the console is: `/console`, or below the path of a proxy. The server writes it into the page. */
export const base = document.documentElement.dataset.base ?? '/console'

export const apiBase = `${base.replace(/\/console$/, '')}/api/apps/v1`
