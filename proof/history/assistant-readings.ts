import { isDeepStrictEqual } from 'node:util'
import { connectAssistant } from '../../tests/support/assistants.ts'
import type { History } from '../record.ts'
import { readSingle } from './client.ts'
import { sendPatiently } from './http.ts'

const OPERATIONS: Record<string, string> = {
  order: 'getOrder',
  customer: 'getCustomer',
  product: 'getProduct',
  review: 'getReview',
}
const OF_EACH = 5

/** What an assistant reads is what the API shows. Fields that it leaves out, because there are too many, are not compared. */
export const compareAssistant = async (
  base: string,
  token: string,
  { final }: History,
  complain: (detail: string) => void,
) => {
  const assistant = await connectAssistant(new URL(base).origin, { authorization: `Bearer ${token}` })
  for (const [kind, operation] of Object.entries(OPERATIONS)) {
    const ids = Object.keys(final).filter((name) => name.startsWith(`${kind}:`))
    for (const name of ids.slice(-OF_EACH)) {
      const id = name.slice(kind.length + 1)
      const { status, body } = await readSingle(base, token, kind, id, sendPatiently)
      const { isError, value } = await assistant.call('read', { operation, arguments: { id } })
      if (status !== 200 || isError) {
        if (isError === (status === 200))
          complain(`${operation} ${id}: ${status} by HTTP, ${JSON.stringify(value)} by MCP`)
        continue
      }
      const shown = value.store_data[kind]
      const differs = Object.keys(shown).find((field) => !isDeepStrictEqual(shown[field], body[field]))
      if (differs) complain(`${operation} ${id}: ${differs} differs by HTTP and by MCP`)
      if (value.left_out === undefined && Object.keys(shown).length !== Object.keys(body).length)
        complain(`${operation} ${id}: MCP leaves fields out and does not say so`)
    }
  }
  await assistant.close()
}
