import { expect, test } from 'vitest'
import { isHtml, marksOfHtml } from '../../console/src/pages/products/html-text.ts'
import { type Edit, type Inline, nextItem, parseMarks, setMark } from '../../console/src/pages/products/marks.ts'

const flat = (nodes: readonly Inline[]): string =>
  nodes
    .map((node) => {
      if (node.kind === 'bold') return `<b>${flat(node.inside)}</b>`
      return node.kind === 'link' ? `<a ${node.href}>${node.text}</a>` : node.text
    })
    .join('')

const shown = (text: string) =>
  parseMarks(text).map((block) =>
    block.kind === 'list'
      ? [block.isNumbered ? 'ol' : 'ul', ...block.items.map(flat)]
      : ['p', ...block.lines.map(flat)],
  )

test('bold, lists and links are marks, and all else is text', () => {
  expect(
    shown('Woven by **hand**\nin Mahdia.\n\n- red\n- **blue** [size](https://shop.example/a_b)\n1. wash\n2) dry'),
  ).toEqual([
    ['p', 'Woven by <b>hand</b>', 'in Mahdia.'],
    ['ul', 'red', '<b>blue</b> <a https://shop.example/a_b>size</a>'],
    ['ol', 'wash', 'dry'],
  ])
  expect(shown('**[call](tel:+21620123456)** **')).toEqual([['p', '<b><a tel:+21620123456>call</a></b> **']])
  for (const text of ['2 * 3', '**', '****', '-5 °C', '[x]', '[](https://a.example)', '1.5 m', 'نص **'])
    expect(shown(text)).toEqual([['p', text]])
  expect(parseMarks('\n \n')).toEqual([])
})

test('no text becomes a link to a script, or an element', () => {
  for (const href of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    'https://a b',
    'JaVaScRiPt:x',
  ])
    expect(shown(`[here](${href})`)).toEqual([['p', `[here](${href})`]])
  expect(shown('<img src=x onerror=alert(1)>')).toEqual([['p', '<img src=x onerror=alert(1)>']])
  expect(shown(marksOfHtml('<a href="javascript:alert(1)">here</a>'))).toEqual([['p', '[here](javascript:alert(1))']])
})

test('long texts of unfinished marks are read in linear time', () => {
  for (const part of ['**a ', '[', '[a](', '[a](https://', '- ', '<a href="', '<', '&#'])
    for (const read of [parseMarks, marksOfHtml, isHtml]) read(part.repeat(65_536 / part.length))
})

test('HTML of other shops becomes marks', () => {
  const html =
    '<style>p { color: red }</style><p class="x">Tea &amp; <b>mint</b>&nbsp;&#39;fresh&#x27;<br/>twice</p>\n<ul>\n<li>green</li> <li><a href="https://a.example/?a=1&amp;b=2">more</a></li></ul><ol><li>one<li>two</ol><script>alert(1)</script>'
  expect(isHtml(html)).toBe(true)
  expect(marksOfHtml(html)).toBe(
    "Tea & **mint** 'fresh'\ntwice\n\n- green\n\n- [more](https://a.example/?a=1&b=2)\n\n1. one\n2. two",
  )
  for (const text of ['a < b and c > d', 'I <3 it', '1 <p', '**bold**']) expect(isHtml(text)).toBe(false)
})

/** `|` stands where the selection begins and ends. */
const editing = (text: string, edit: (text: string, from: number, to: number) => Edit | undefined) => {
  const [before = '', inside = '', after] = text.split('|')
  const plain = before + inside + (after ?? '')
  const to = after === undefined ? before.length : before.length + inside.length
  const whole = after === undefined ? before + inside : plain
  const done = edit(whole, before.length, to)
  if (!done) return undefined
  const result = whole.slice(0, done.from) + done.insert + whole.slice(done.to)
  const [start, end] = done.select
  return `${result.slice(0, start)}|${result.slice(start, end)}|${result.slice(end)}`
}
const bold = (text: string) => editing(text, (...of) => setMark(...of, 'bold'))
const bullets = (text: string) => editing(text, (...of) => setMark(...of, 'bullets'))
const numbers = (text: string) => editing(text, (...of) => setMark(...of, 'numbers'))
const link = (text: string) => editing(text, (...of) => setMark(...of, 'link'))
const enter = (text: string) => editing(text, (whole, at) => nextItem(whole, at))

test('marks are set on what is selected, and taken away', () => {
  expect(bold('a| word |b')).toBe('a **|word|** b')
  expect(bold('a **|word|** b')).toBe('a |word| b')
  expect(bold('|')).toBe('**||**')
  expect(bullets('|one\ntwo|\nthree')).toBe('|- one\n- two|\nthree')
  expect(bullets('|- one\n- two|')).toBe('|one\ntwo|')
  expect(numbers('|- one\n\n- two\n|x')).toBe('|1. one\n\n2. two|\nx')
  expect(bullets('a\nb|')).toBe('a\n- b||')
  expect(link('see |here|')).toBe('see [here](|https://|)')
  expect(link('|https://a.example|')).toBe('[|https://a.example|](https://a.example)')
  expect(link('|')).toBe('[||](https://)')
})

test('Enter goes on with a list, and leaves it from an empty item', () => {
  expect(enter('- one|')).toBe('- one\n- ||')
  expect(enter('9. nine| ten')).toBe('9. nine\n10. || ten')
  expect(enter('- one\n- |')).toBe('- one\n||')
  expect(enter('plain|')).toBeUndefined()
})
