const PREFIX = 'storefront:'
const MAX_TEXT = 200
const MAX_HEIGHT = 20_000
/** Between two short messages, so that an app cannot cover the page with them. */
const TOAST_MS = 1_000

interface Host {
  frame: HTMLIFrameElement
  /** Of the embedded page. Messages of others are not heard, and none are sent to them. */
  origin: string
  sessionToken: () => Promise<string>
  navigate: (path: string) => void
  toast: (text: string) => void
}

interface Message {
  type?: unknown
  path?: unknown
  text?: unknown
  height?: unknown
}

/** A path of the console below the store. No address of another site begins like this. */
const STORE_PATH = /^\/(?:[\w-][\w\-./]*)?(?:\?[\w\-.=&%]*)?$/

/** Listens to the five messages of an embedded app: ready, session-token, navigate, toast and size. Returns how to stop. */
export const listenToApp = ({ frame, origin, sessionToken, navigate, toast }: Host) => {
  let lastToast = Number.NEGATIVE_INFINITY
  let isFetching = false
  const acts: Record<string, (message: Message) => unknown> = {
    ready: () => {
      frame.dataset.ready = 'true'
    },
    'session-token': async () => {
      // One at a time, however often the app asks: each is a request to the service.
      if (isFetching) return
      isFetching = true
      try {
        const token = await sessionToken()
        frame.contentWindow?.postMessage({ type: `${PREFIX}session-token`, token }, origin)
      } catch {
        // The app may ask again. Why it was refused is nothing that it needs to know.
      } finally {
        isFetching = false
      }
    },
    navigate: ({ path }) => {
      if (typeof path === 'string' && path.length <= 500 && STORE_PATH.test(path) && !path.includes('..'))
        navigate(path === '/' ? '' : path)
    },
    toast: ({ text }) => {
      if (typeof text !== 'string' || text === '' || performance.now() - lastToast < TOAST_MS) return
      lastToast = performance.now()
      toast(text.slice(0, MAX_TEXT))
    },
    size: ({ height }) => {
      if (typeof height === 'number' && height > 0 && height <= MAX_HEIGHT)
        frame.style.blockSize = `${Math.ceil(height)}px`
    },
  }
  const hear = ({ source, origin: from, data }: MessageEvent<Message | null>) => {
    if (source !== frame.contentWindow || from !== origin) return
    const type = typeof data?.type === 'string' && data.type.startsWith(PREFIX) ? data.type.slice(PREFIX.length) : ''
    if (Object.hasOwn(acts, type)) acts[type]?.(data as Message)
  }
  addEventListener('message', hear)
  return () => removeEventListener('message', hear)
}
