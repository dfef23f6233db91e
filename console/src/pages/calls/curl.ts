import type { CallLine } from '../../api/developer.ts'

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The call as a command. What was sent is not kept, so the token and the body have to be filled in. */
export const curlOf = ({ method, route, resource_id, idempotency_key }: CallLine, origin: string) => {
  const path = (route ?? '/').replace(':id', resource_id ?? ':id')
  const isRead = method === null || method === 'GET' || method === 'HEAD'
  return [
    `curl -sS -X ${method ?? 'GET'} ${quote(origin + path)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(idempotency_key ? [`-H ${quote(`Idempotency-Key: ${idempotency_key}`)}`] : []),
    ...(isRead ? [] : [`-H 'Content-Type: application/json'`, `-d '{}'`]),
  ].join(' \\\n  ')
}
