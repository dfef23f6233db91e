// Runs before the first paint, so that the page does not change its colours or its direction in front of the reader. Where
// somebody has signed in, it also sends the first requests, while the code that needs their answers is still on its way.
try {
  const { theme, language, known } = JSON.parse(localStorage.getItem('console.look') ?? '{}')
  const root = document.documentElement
  if (theme) root.dataset.theme = theme
  if (language) root.lang = language
  if (language === 'ar') root.dir = 'rtl'

  if (known) {
    const { base } = root.dataset
    /** Addresses of code, by name. */
    const code = document.currentScript.dataset
    for (const href of [code.shell, code[language]]) {
      if (!href) continue
      const link = document.createElement('link')
      link.rel = 'modulepreload'
      link.href = href
      document.head.append(link)
    }
    /** Replies by method and path, for src/api/console.ts. */
    window.earlyReplies = {}
    const send = (method, path) => {
      window.earlyReplies[`${method} ${path}`] = fetch(`${base}/api${path}`, { method }).catch(() => undefined)
    }
    send('GET', '/me')
    const [, store] = /^\/s\/([^/]+)/.exec(location.pathname.slice(base.length)) ?? []
    if (store) send('POST', `/stores/${store}/token`)
  }
} catch {
  // Without storage the browser's preferences count, and the requests are sent later.
}
