import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'

const MAX_LENGTH = 253
/** Checked first: Node's URL functions also take percent-encoded text, ports and numbers that mean an IP address. */
const WRITTEN = /^[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** The ASCII form of a host name in any script, in small letters; undefined if it is none, or an IP address. */
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

/** As people read it. */
export const readableHost = (host: string): string => domainToUnicode(host) || host
