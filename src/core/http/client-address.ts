import { isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { TrustedProxies } from '../../config/config.ts'

/** A dual-stack socket reports 192.0.2.1 as `::ffff:192.0.2.1`. Some proxies append the port. */
const readAddress = (text: string): string | undefined => {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+(\.\d+){3}$)/i, '')
  return isIP(bare) ? bare : undefined
}

const isTrusted = (proxies: TrustedProxies, address: string, hop: number) => {
  if (typeof proxies === 'number') return hop < proxies
  return address !== '' && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * Finds the client's address. Each proxy appends its peer to X-Forwarded-For, so the header is read from the end and
 * only as far as the proxies are trusted: the client may have forged the earlier entries.
 */
export const clientAddress = ({ headers, socket }: FastifyRequest, proxies: TrustedProxies): string => {
  let address = readAddress(socket.remoteAddress ?? '') ?? ''
  if (proxies === 0) return address
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  for (let hop = 0; isTrusted(proxies, address, hop); hop++) {
    const next = readAddress(forwarded.pop() ?? '')
    if (next === undefined) break
    address = next
  }
  return address
}

/** An IPv6 client usually has a whole /64, so rate limits count by /64 rather than by address. */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.toLowerCase().split('%')[0] as string).split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  const all = [...groups, ...Array(Math.max(0, missing)).fill('0'), ...(tail ?? '').split(':')]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')}::/64`
}
