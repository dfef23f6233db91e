/**
 * For pages that the console shows in a frame. Five messages: `ready`, `session-token`, `navigate`, `toast` and `size`.
 * Messages are sent to the console alone, and heard from it alone.
 */

const PREFIX = 'storefront:'

interface Answer {
  type?: unknown
  token?: unknown
}

export interface Embed {
  /** A fresh session token, valid for a minute: send it to your server, which verifies it. */
  sessionToken: () => Promise<string>
  /** Opens a page of the store in the console, such as `/orders`. */
  navigate: (path: string) => void
  /** Shows a short message. */
  toast: (text: string) => void
}

/** Connects to the console at `origin`, such as `https://api.example.com`. Tells it the page's height as it changes. */
export const connectEmbed = (origin: string, host: Window = window.parent): Embed => {
  const send = (type: string, more: object = {}) => host.postMessage({ type: PREFIX + type, ...more }, origin)
  let waiting: ((token: string) => void)[] = []
  addEventListener('message', ({ source, origin: from, data }: MessageEvent<Answer | null>) => {
    if (source !== host || from !== origin || data?.type !== `${PREFIX}session-token`) return
    const told = waiting
    waiting = []
    for (const tell of told) tell(String(data.token))
  })
  new ResizeObserver(() => send('size', { height: document.documentElement.scrollHeight })).observe(document.body)
  send('ready')
  return {
    sessionToken: () =>
      new Promise((resolve) => {
        if (waiting.push(resolve) === 1) send('session-token')
      }),
    navigate: (path) => send('navigate', { path }),
    toast: (text) => send('toast', { text }),
  }
}
