import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'

const MAX_LENGTH = 253
/** Checked first: Node's URL functions also accept percent-encoding, ports and numeric IP addresses. */
const WRITTEN = /^[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** The ASCII form of a host name in any script, in lower case; undefined if it is invalid or an IP address. */
export const hostName = (text: string): string | undefined => {
  if (!WRITTEN.test(text)) return undefined
  const host = domainToASCII(text)
  const labels = host.split('.')
  const valid =
    host.length <= MAX_LENGTH &&
    labels.every((label) => LABEL.test(label)) &&
    // A last label without a letter makes it an IP address, however it is written.
    /[a-z]/.test(labels.at(-1) as string) &&
    !isIP(host)
  return valid ? host : undefined
}

/** The Unicode form, for display. */
export const readableHost = (host: string): string => domainToUnicode(host) || host
