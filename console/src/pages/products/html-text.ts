/** Descriptions from other shops are HTML. What has a mark here becomes one, all else is left out. */

const TAG = /^<(\/?)([a-z][a-z0-9]{0,9})(?:\s[^<>]*)?\/?>$/i
const KNOWN = /<(?:p|br|ul|ol|li|b|strong|a|div|span|h[1-6]|em|i)(?:\s[^<>]{0,2000})?\/?>/i
const BLOCKS = /^(?:p|div|h[1-6]|ul|ol|table|tr|section)$/
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

export const isHtml = (text: string) => KNOWN.test(text)

const character = (code: number) => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '')

const decoded = (text: string) =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (name[0] !== '#') return ENTITIES[name.toLowerCase()] ?? whole
    return character(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
  })

const hrefOf = (tag: string) => {
  const [, quoted, single, bare] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag) ?? []
  return decoded(quoted ?? single ?? bare ?? '').trim()
}

/** The text with marks of an HTML text. */
export const marksOfHtml = (html: string): string => {
  const lists: number[] = []
  let href = ''
  let hidden = ''
  let text = ''
  const markOf = (tag: string) => {
    const [, slash, given = ''] = TAG.exec(tag) ?? []
    const name = given.toLowerCase()
    const closes = slash === '/'
    if (hidden !== '') {
      if (closes && name === hidden) hidden = ''
      return ''
    }
    if (!closes && (name === 'script' || name === 'style')) hidden = name
    if (name === 'br') return '\n'
    if (name === 'b' || name === 'strong') return '**'
    if (name === 'ul' || name === 'ol') {
      if (closes) lists.pop()
      else lists.push(name === 'ol' ? 1 : 0)
      return '\n\n'
    }
    if (name === 'li') {
      const number = lists.at(-1) ?? 0
      if (closes) return '\n'
      if (number > 0) lists[lists.length - 1] = number + 1
      return number > 0 ? `\n${number}. ` : '\n- '
    }
    if (name === 'a') {
      if (!closes) href = hrefOf(tag)
      const mark = href === '' ? '' : closes ? `](${href})` : '['
      if (closes) href = ''
      return mark
    }
    return BLOCKS.test(name) ? '\n\n' : ''
  }
  for (const part of html.split(/(<[^<>]*>)/)) {
    if (part.startsWith('<') && part.endsWith('>')) text += markOf(part)
    else if (hidden === '') text += decoded(part.replace(/\s+/g, ' '))
  }
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line, place) => line !== '' || (lines[place - 1] ?? '') !== '')
    .join('\n')
    .trim()
}
