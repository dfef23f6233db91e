/** Text with a few marks of Markdown: `**bold**`, `[links](https://…)`, lists. Everything else is text. */

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'bold'; inside: readonly Inline[] }
  | { kind: 'link'; text: string; href: string }

export type Block =
  | { kind: 'paragraph'; lines: readonly (readonly Inline[])[] }
  | { kind: 'list'; isNumbered: boolean; items: readonly (readonly Inline[])[] }

const BOLD = '**'
const MAX_LINK = 2_048
const SAFE = /^(?:https?:\/\/|mailto:|tel:)[^\s<>"]+$/i

/** The link at the beginning of a text. One with an address that is not safe to open is text. */
const linkAt = (text: string) => {
  const end = text.slice(0, MAX_LINK).indexOf(')')
  const [, label, href] = /^\[([^\][]+)\]\(([^()]*)\)$/.exec(text.slice(0, end + 1)) ?? []
  return label !== undefined && href !== undefined && SAFE.test(href)
    ? { node: { kind: 'link', text: label, href } as const, length: end + 1 }
    : undefined
}

const addText = (nodes: Inline[], text: string) => {
  if (text !== '') nodes.push({ kind: 'text', text })
}

const withLinks = (line: string): Inline[] => {
  const nodes: Inline[] = []
  let plain = ''
  for (let at = 0; at < line.length; ) {
    const next = line.indexOf('[', at)
    if (next < 0) {
      plain += line.slice(at)
      break
    }
    plain += line.slice(at, next)
    const link = linkAt(line.slice(next, next + MAX_LINK))
    if (link) {
      addText(nodes, plain)
      plain = ''
      nodes.push(link.node)
    } else plain += '['
    at = next + (link?.length ?? 1)
  }
  addText(nodes, plain)
  return nodes
}

const inlines = (line: string): Inline[] => {
  const parts = line.split(BOLD)
  // The last mark closes nothing.
  if (parts.length % 2 === 0) parts.push(`${parts.splice(-2, 1)[0]}${BOLD}${parts.pop()}`)
  return parts.flatMap((part, place): Inline[] => {
    if (place % 2 === 0) return withLinks(part)
    return part === '' ? [{ kind: 'text', text: BOLD + BOLD }] : [{ kind: 'bold', inside: withLinks(part) }]
  })
}

const BULLET = /^[-*•] +/
const NUMBER = /^\d{1,3}[.)] +/
const markerOf = (line: string) => (BULLET.exec(line) ?? NUMBER.exec(line))?.[0]

export const parseMarks = (text: string): Block[] => {
  const blocks: { kind: string; isNumbered: boolean; lines: (readonly Inline[])[] }[] = []
  let previous = ''
  for (const line of text.split('\n').map((line) => line.trim())) {
    const marker = markerOf(line)
    const kind = line === '' ? '' : marker ? 'list' : 'paragraph'
    const isNumbered = marker !== undefined && NUMBER.test(marker)
    const last = blocks.at(-1)
    const goesOn = last && previous === kind && last.isNumbered === isNumbered
    const nodes = inlines(line.slice(marker?.length ?? 0))
    if (kind !== '') {
      if (goesOn) last.lines.push(nodes)
      else blocks.push({ kind, isNumbered, lines: [nodes] })
    }
    previous = kind
  }
  return blocks.map(({ kind, isNumbered, lines }) =>
    kind === 'list' ? { kind, isNumbered, items: lines } : { kind: 'paragraph', lines },
  )
}

export const hasMarks = (text: string) =>
  parseMarks(text).some(
    (block) => block.kind === 'list' || block.lines.some((line) => line.some(({ kind }) => kind !== 'text')),
  )

/** A replacement in a text, and what is selected then. */
export interface Edit {
  from: number
  to: number
  insert: string
  select: readonly [number, number]
}

export type Mark = 'bold' | 'bullets' | 'numbers' | 'link'

/** The selection without the spaces around it. */
const trimmed = (text: string, from: number, to: number) => {
  const selected = text.slice(from, to)
  const start = from + (selected.length - selected.trimStart().length)
  return selected.trim() === '' ? ([from, from] as const) : ([start, start + selected.trim().length] as const)
}

const toggleBold = (text: string, start: number, end: number): Edit => {
  const [from, to] = trimmed(text, start, end)
  const inside = text.slice(from, to)
  if (text.slice(from - 2, from) === BOLD && text.slice(to, to + 2) === BOLD)
    return { from: from - 2, to: to + 2, insert: inside, select: [from - 2, to - 2] }
  return { from, to, insert: BOLD + inside + BOLD, select: [from + 2, to + 2] }
}

const addLink = (text: string, start: number, end: number): Edit => {
  const [from, to] = trimmed(text, start, end)
  const label = text.slice(from, to)
  const isAddress = SAFE.test(label)
  const address = isAddress ? label : 'https://'
  const insert = `[${label}](${address})`
  const at = from + label.length + 3
  // What is still missing: the text, or the address.
  return {
    from,
    to,
    insert,
    select: isAddress || label === '' ? [from + 1, from + 1 + label.length] : [at, at + address.length],
  }
}

const toggleList = (text: string, start: number, end: number, isNumbered: boolean): Edit => {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const after = text.indexOf('\n', Math.max(end - (end > start ? 1 : 0), from))
  const to = after < 0 ? text.length : after
  const lines = text.slice(from, to).split('\n')
  const pattern = isNumbered ? NUMBER : BULLET
  const isOn =
    lines.every((line) => line.trim() === '' || pattern.test(line)) && lines.some((line) => line.trim() !== '')
  let number = 0
  const marked = lines.map((line) => {
    const bare = line.slice(markerOf(line)?.length ?? 0)
    if (isOn || (line.trim() === '' && lines.length > 1)) return bare
    number++
    return (isNumbered ? `${number}. ` : '- ') + bare
  })
  const insert = marked.join('\n')
  return {
    from,
    to,
    insert,
    select: lines.length > 1 ? [from, from + insert.length] : [from + insert.length, from + insert.length],
  }
}

/** Sets a mark on what is selected, or takes it away. */
export const setMark = (text: string, from: number, to: number, mark: Mark): Edit => {
  if (mark === 'bold') return toggleBold(text, from, to)
  return mark === 'link' ? addLink(text, from, to) : toggleList(text, from, to, mark === 'numbers')
}

/** Enter in a list makes the next item; in an empty item, it ends the list. */
export const nextItem = (text: string, at: number): Edit | undefined => {
  const from = text.lastIndexOf('\n', at - 1) + 1
  const line = text.slice(from, at)
  const marker = markerOf(line) ?? (/^(?:[-*•]|\d{1,3}[.)])$/.test(line.trim()) ? line : undefined)
  if (marker === undefined) return undefined
  if (line.length <= marker.length) return { from, to: at, insert: '', select: [from, from] }
  const number = Number.parseInt(marker, 10)
  const next = `\n${Number.isNaN(number) ? marker : marker.replace(String(number), String(number + 1))}`
  return { from: at, to: at, insert: next, select: [at + next.length, at + next.length] }
}
