import { apiBase } from '../../base-url.ts'
import { type Call, chosenFiles, formatOf, formFields, headersOf, pathOf } from './call.ts'

/** More is not read. */
const MAX_READ = 8 * 1024 * 1024
const TEXT = /^(text\/|application\/(json|x-ndjson|problem\+json))/i

export interface Reply {
  status: number
  headers: readonly (readonly [string, string])[]
  requestId: string | undefined
  /** The server says that nothing was changed. */
  wasDry: boolean
  /** From sending to the last byte that was read. */
  ms: number
  bytes: number
  /** There was more than is read. */
  isCut: boolean
  body: Blob
  /** Undefined if it is no text. */
  text: string | undefined
  /** Parsed, if it is JSON and whole. */
  json: unknown
}

const bodyOf = (call: Call): { body?: BodyInit; contentType?: string } => {
  const format = formatOf(call)
  if (format === 'nothing') return {}
  if (format === 'json') return { body: call.body, contentType: 'application/json' }
  if (format === 'lines') return { body: call.body, contentType: 'application/x-ndjson' }
  const form = new FormData()
  for (const [name, value] of formFields(call)) form.append(name, value)
  for (const { name, file } of chosenFiles(call)) form.append(name, file, file.name)
  return { body: form }
}

const readBody = async (response: Response) => {
  const reader = response.body?.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  while (reader && bytes <= MAX_READ) {
    const { done, value } = await reader.read()
    if (done) return { chunks, bytes, isCut: false }
    chunks.push(value)
    bytes += value.length
  }
  await reader?.cancel()
  return { chunks, bytes, isCut: reader !== undefined }
}

const parsed = (text: string | undefined, type: string) => {
  if (!text || !/\bjson\b/i.test(type)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Sends what was filled in, as it stands. Throws only if no answer came. */
export const sendCall = async (call: Call, token: string | undefined, signal: AbortSignal): Promise<Reply> => {
  const { body, contentType } = bodyOf(call)
  const started = performance.now()
  const response = await fetch(apiBase + pathOf(call), {
    method: call.operation.method,
    // The API knows no cookies.
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      ...headersOf(call),
      ...(contentType && { 'Content-Type': contentType }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body }),
    signal,
  })
  const { chunks, bytes, isCut } = await readBody(response)
  const ms = performance.now() - started
  const type = response.headers.get('content-type') ?? ''
  const content = new Blob(chunks, { type })
  const text = bytes === 0 ? '' : TEXT.test(type) ? await content.text() : undefined
  return {
    status: response.status,
    headers: [...response.headers],
    requestId: response.headers.get('x-request-id') ?? undefined,
    wasDry: /\bdry-run\b/.test(response.headers.get('preference-applied') ?? ''),
    ms,
    bytes,
    isCut,
    body: content,
    text,
    json: isCut ? undefined : parsed(text, type),
  }
}
