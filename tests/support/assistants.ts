import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { API_PREFIX } from '../../src/config/config.ts'
import type { Permission } from '../../src/resources/permissions/catalogue.ts'
import type { TestApi } from './api.ts'

// biome-ignore lint/suspicious/noExplicitAny: results of every tool.
type Json = any

export interface ToolReply {
  isError: boolean
  value: Json
  /** In bytes. */
  size: number
}

export interface Assistant {
  client: Client
  call: (name: string, args?: object) => Promise<ToolReply>
  close: () => Promise<void>
}

/** The official client, of either generation, at one node. */
export const connectAssistant = async (
  origin: string,
  headers: Record<string, string>,
  { mode, versionNegotiation }: { mode?: string } & Pick<ClientOptions, 'versionNegotiation'> = {},
): Promise<Assistant> => {
  const client = new Client({ name: 'test', version: '1.0.0' }, versionNegotiation ? { versionNegotiation } : {})
  const url = new URL(`${origin}${API_PREFIX}/mcp${mode ? `?mode=${mode}` : ''}`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return {
    client,
    call: async (name, args = {}) => {
      const { content, isError } = (await client.callTool({ name, arguments: args as Record<string, unknown> })) as Json
      const text = content[0].text as string
      return { isError: isError === true, value: JSON.parse(text), size: Buffer.byteLength(text) }
    },
    close: () => client.close(),
  }
}

/** With a token for one installation, or with a full one and the installation in a header. */
export const headersOf = async (api: TestApi, permissions: readonly Permission[], { isFull = false } = {}) => {
  const app = await api.install(permissions)
  const { install_id } = app
  const token = await api.getToken(app, isFull ? {} : { install_id })
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (isFull) headers['x-app-install-id'] = install_id
  return { app, headers }
}
