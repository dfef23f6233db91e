import { BlockList, isIP, isIPv4 } from 'node:net'

const listOf = (family: 'ipv4' | 'ipv6', networks: string) => {
  const list = new BlockList()
  for (const network of networks.split(' ')) {
    const [address = '', length] = network.split('/')
    list.addSubnet(address, Number(length), family)
  }
  return list
}

/** Networks outside the public internet (IANA special-purpose registries), and multicast. */
const RESERVED_IPV4 = listOf(
  'ipv4',
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
)
const GLOBAL_IPV6 = listOf('ipv6', '2000::/3')
const RESERVED_IPV6 = listOf('ipv6', '2001::/23 2001:db8::/32 2002::/16 3fff::/20')
/** An IPv4 address as an IPv6 address: the system connects to the IPv4 address. */
const MAPPED = listOf('ipv6', '::ffff:0:0/96')

const isIn = (list: BlockList, address: string) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

const isPublic = (address: string) => {
  if (isIPv4(address)) return !isIn(RESERVED_IPV4, address)
  return isIn(GLOBAL_IPV6, address) && !isIn(RESERVED_IPV6, address) && !isIn(MAPPED, address)
}

type AddressKind = 'public' | 'opened' | 'refused'

/** Whether webhooks may connect to an address: a public one, or one in a network that the operator has allowed. */
export const kindOfAddress = (address: string, opened: BlockList | undefined): AddressKind => {
  // A zone (fe80::1%eth0) makes no address public.
  if (!isIP(address) || address.includes('%')) return 'refused'
  if (opened && isIn(opened, address)) return 'opened'
  return isPublic(address) ? 'public' : 'refused'
}

/** The IP address in a URL; undefined for a host name. `new URL` has already normalised its spelling. */
export const addressInUrl = ({ hostname }: URL): string | undefined => {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) ? bare : undefined
}

/** Public receivers are reached on the port of https, or one that no system service uses. */
const isOpenPort = (url: URL) => url.port === '' || url.port === '443' || Number(url.port) > 1023

/** Whether a request to this URL may be sent to this address. */
export const mayConnect = (url: URL, address: string, opened: BlockList | undefined): boolean => {
  const kind = kindOfAddress(address, opened)
  if (kind === 'opened') return true
  return kind === 'public' && url.protocol === 'https:' && isOpenPort(url)
}

export const MAX_URL_LENGTH = 2_048

/** Why a URL is refused. The addresses of its host are checked again at every connection. */
export const refusalOfUrl = (text: string, opened: BlockList | undefined): string | undefined => {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return 'must be a URL such as https://app.example/webhooks'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && opened)) return 'must start with https://'
  if (url.username || url.password) return 'must not contain a user name or a password'
  if (url.hash) return 'must not contain a fragment'
  const address = addressInUrl(url)
  if (address)
    return mayConnect(url, address, opened) ? undefined : 'must lead to a public address, on port 443 or above 1023'
  if (opened) return undefined
  if (!url.hostname.replace(/\.$/, '').includes('.') || /(^|\.)localhost\.?$/.test(url.hostname))
    return 'must lead to a public host'
  return isOpenPort(url) ? undefined : 'must use port 443, or one above 1023'
}
