import type { Json } from '../record.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  body: Json
}

const PATIENCE_MS = 20_000

/** One request; throws when there is no answer. */
export const send = async (
  base: string,
  token: string,
  method: string,
  path: string,
  body?: Json,
  headers: Record<string, string> = {},
): Promise<Reply> => {
  const reply = await fetch(base + path, {
    method,
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: reply.status, headers: reply.headers, text, body: isJson ? JSON.parse(text) : undefined }
}
