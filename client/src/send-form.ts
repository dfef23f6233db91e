/** The part of XMLHttpRequest that is used here: Node's types have none. */
interface FormRequest {
  responseType: string
  response: unknown
  status: number
  statusText: string
  upload: { onprogress: (event: { loaded: number }) => void }
  onload: () => void
  onerror: () => void
  onabort: () => void
  onloadend: () => void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: FormData): void
  abort(): void
}

const { XMLHttpRequest: FormRequest } = globalThis as unknown as { XMLHttpRequest?: new () => FormRequest }

/** A browser's fetch does not report the progress of an upload; XMLHttpRequest does. */
export const canReportProgress = () => FormRequest !== undefined

const headersOf = (text: string) =>
  new Headers(
    text.split('\r\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trim()]] : []
    }),
  )

/** Sends a form as fetch would, and reports how many of its bytes have been sent. */
export const sendForm = (
  url: string,
  {
    method,
    headers,
    body,
    signal,
  }: { method: string; headers: Record<string, string>; body: FormData; signal: AbortSignal },
  onSent: (bytes: number) => void,
) =>
  new Promise<Response>((resolve, reject) => {
    const request = new (FormRequest as new () => FormRequest)()
    request.open(method, url)
    request.responseType = 'blob'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    const abort = () => request.abort()
    signal.addEventListener('abort', abort, { once: true })
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () =>
      resolve(
        new Response(request.response as Blob, {
          status: request.status,
          statusText: request.statusText,
          headers: headersOf(request.getAllResponseHeaders()),
        }),
      )
    request.onerror = () => reject(new TypeError('The request failed.'))
    request.onabort = () => reject(signal.reason)
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.send(body)
  })
