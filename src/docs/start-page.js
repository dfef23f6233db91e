// Runs in the browser, as part of the documents page.
;(async () => {
  const { demo } = JSON.parse(document.getElementById('settings').textContent)
  // Where the page was found is where the API is, whatever name or proxy the reader came by.
  const site = location.href.replace(/[?#].*$/, '').replace(/\/docs\/?$/, '')
  const base = `${site}/api/apps/v1`

  const demoToken = async () => {
    try {
      const response = await fetch(`${base}/auth/get-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...demo, ttl: 86_400 }),
      })
      return (await response.json()).data.token
    } catch {
      // The page is of use without one.
      return ''
    }
  }

  // The guides are what a newcomer looks for. The page's script has no option to show them unfolded.
  const openGuides = (_, observer) => {
    const toggle = document.querySelector('[data-sidebar-id$="/description/introduction"] button[aria-expanded]')
    if (!toggle) return
    observer.disconnect()
    if (toggle.getAttribute('aria-expanded') === 'false') toggle.click()
  }
  new MutationObserver(openGuides).observe(document.body, { childList: true, subtree: true })

  window.Scalar.createApiReference('#reference', {
    url: `${site}/docs/openapi.json`,
    servers: [{ url: base, description: 'This server' }],
    authentication: {
      preferredSecurityScheme: 'bearer',
      securitySchemes: {
        bearer: { token: demo ? await demoToken() : '' },
        basic: { username: demo?.client_id ?? '', password: demo?.client_secret ?? '' },
      },
    },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    defaultOpenFirstTag: false,
    showDeveloperTools: 'never',
    persistAuth: false,
  })
})()
