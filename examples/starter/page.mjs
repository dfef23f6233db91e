/** The page that the console shows in a frame. It has no rights of its own: each request brings a session token. */
export const page = (/** @type {string} */ console) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Order log</title>
<style>
  :root { color-scheme: light dark; font: 0.875rem system-ui, sans-serif }
  body { margin: 0; padding: 1.25rem } h1 { font-size: 1rem } li { padding: 0.25rem 0 }
</style>
<main><h1>What has happened to orders</h1><ol></ol><p role="status">Loading…</p></main>
<script type="module">
  import { connectEmbed } from './embed.js'
  const status = document.querySelector('p')
  const host = connectEmbed(${JSON.stringify(console)})
  const show = async () => {
    const headers = { authorization: 'Bearer ' + (await host.sessionToken()) }
    const reply = await fetch('./events', { headers })
    const { events, message } = await reply.json()
    status.textContent = message ?? (events.length === 0 ? 'Nothing yet: place an order.' : '')
    if (!reply.ok) return
    const items = events.map(({ at, type, resource }) =>
      Object.assign(document.createElement('li'), { textContent: [new Date(at).toLocaleString(), type, resource].join(' · ') }))
    document.querySelector('ol').replaceChildren(...items)
  }
  if (window.parent === window) status.textContent = 'Open this app in the console, under Apps.'
  else {
    await show()
    setInterval(show, 5000)
  }
</script></html>`

/** The page of this site itself. */
export const home = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Order log</title>
<h1>Order log</h1><p>Shows what happens to the orders of your store.</p><p><a href="/install">Install</a></p></html>`

export const message = (/** @type {string} */ text) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Order log</title>
<p>${text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</p><p><a href="/">Back</a></p></html>`
