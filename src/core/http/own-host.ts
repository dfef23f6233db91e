import { isIP } from 'node:net'

const HOST = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i

/**
 * Whether a Host header names this service: an IP address, a name without a dot, or one of `names`. A website whose name
 * was made to resolve to this machine (DNS rebinding) sends its own name.
 */
export const isOwnHost = (header: string | undefined, names: readonly string[]) => {
  const [, ipv6, name = ipv6] = HOST.exec(header ?? '') ?? []
  if (!name) return false
  const lower = name.toLowerCase()
  return isIP(name) > 0 || !name.includes('.') || lower.endsWith('.localhost') || names.includes(lower)
}
