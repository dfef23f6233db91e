import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_REPORTED_FIELDS } from '../../errors.ts'
import { MAX_JSON_KEYS, MAX_JSON_VALUES, parseJson, syntaxErrorAt } from './parse-json.ts'

const read = (text: string) => {
  const parsed = parseJson(text)
  return 'value' in parsed ? parsed.value : parsed
}

test('the parser returns the same as JSON.parse for any JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const bounded = JSON.parse(text, (_, value) =>
        typeof value === 'number' && value !== 0 && !(Math.abs(value) >= 1e-21 && Math.abs(value) <= 1e21) ? 0 : value,
      )
      expect(read(JSON.stringify(bounded))).toEqual(bounded)
    }),
    { numRuns: 500 },
  )
})

test('a number is read exactly, or as Infinity, which validation rejects', () => {
  const kept = ['0', '-0.0', '0e9', '9007199254740992', '1e21', '-1E+20', '0.30000000000000004', '1.0e-21', '12.5000']
  for (const number of [...kept, '100000000000000000000', '36183153663864810', `1.${'0'.repeat(40)}`])
    expect(read(`[${number}]`), number).toEqual([Number(number)])
  const altered = [
    '9007199254740993',
    '-9223372036854775808',
    '12345678901234567890',
    '1e22',
    '1e-22',
    '1e-400',
    '5e-324',
    '-1e308',
    '1e400',
  ]
  for (const number of [...altered, '9007199254740991.5', '0.123456789012345678', `0.${'3'.repeat(500)}`])
    expect(read(`{"a":[${number}],"b":1}`), number).toEqual({ a: [Number.POSITIVE_INFINITY], b: 1 })
  expect(read('["12345678901234567890", {"9007199254740993": "1e400"}]')).toEqual([
    '12345678901234567890',
    { '9007199254740993': '1e400' },
  ])
})

test('values are counted before parsing; keys and the content of strings do not count', () => {
  const list = (count: number) => `[${Array(count).fill('0').join()}]`
  expect(read(list(MAX_JSON_VALUES - 1))).toHaveLength(MAX_JSON_VALUES - 1)
  for (const many of [list(MAX_JSON_VALUES), `[${Array(MAX_JSON_VALUES).fill('{}').join()}]`])
    expect(parseJson(many)).toMatchObject({ fault: expect.stringContaining('200,000 values'), tooLarge: true })
  const named = (count: number) => `[${Array(count).fill('{"a":true}').join()}]`
  expect(read(named(MAX_JSON_VALUES / 2 - 1))).toHaveLength(MAX_JSON_VALUES / 2 - 1)
  expect(parseJson(named(MAX_JSON_VALUES / 2))).toMatchObject({ tooLarge: true })
  expect(read(JSON.stringify('[{"tfn1,'.repeat(MAX_JSON_VALUES)))).toHaveLength(8 * MAX_JSON_VALUES)
})

test('keys are counted before parsing; those of objects alike count once', () => {
  const object = (count: number, name: string) =>
    `{${Array.from({ length: count }, (_, n) => `"${name}${n}" : true`).join()}}`
  expect(Object.keys(read(object(MAX_JSON_KEYS, 'k')) as object)).toHaveLength(MAX_JSON_KEYS)
  const list = (count: number, item: (n: number) => string) => `[${Array.from({ length: count }, (_, n) => item(n))}]`
  expect(read(list(1_900, () => object(100, 'k')))).toHaveLength(1_900)
  const alike = object(9, 'k').slice(1, -1)
  for (const many of [
    object(MAX_JSON_KEYS + 1, 'k'),
    list(3, (n) => object(MAX_JSON_KEYS / 2, `${n}_`)),
    list(3, () => object(MAX_JSON_KEYS / 2, 'k')),
    list(300, (n) => object(100, `${n}_`)),
    list(99_000, (n) => object(1, `${n}_`)),
    // Few different keys, but no two objects have the same ones.
    list(4_000, (n) => `{${[...n.toString(2).padStart(12, '0')].map((bit, at) => `"${bit}${at}":1`)},${alike}}`),
  ])
    expect(parseJson(many)).toMatchObject({ fault: expect.stringContaining('20,000 keys'), tooLarge: true })
})

test('invalid JSON is reported with line and column', () => {
  const positionIn = (text: string) =>
    /line (\d+), column (\d+)/.exec((parseJson(text) as { fault: string }).fault)?.slice(1)
  const cases: [string, string, string][] = [
    ['{"a":}', '1', '6'],
    ['{"a":1,}', '1', '8'],
    ['[1,]', '1', '4'],
    ['{"a":1}}', '1', '8'],
    ['{\n  "a": 1\n  "b": 2\n}', '3', '3'],
    ['{"a": tru}', '1', '7'],
    ['{"a": 012}', '1', '8'],
    ["{'a': 1}", '1', '2'],
    ['{"a": "x', '1', '9'],
    ['{"a": "x\ny"}', '1', '9'],
    ['["\\x"]', '1', '3'],
    ['["\\u12g4"]', '1', '3'],
    ['{"a" 1}', '1', '6'],
    ['[1 2]', '1', '4'],
    ['', '1', '1'],
    ['{"a":-}', '1', '6'],
    [`["${'\\n\\u00e9'.repeat(3)}\\u00eg"]`, '1', '27'],
    [`\n\n{"a":\n ]}`, '4', '2'],
    ['{"a":00000000000000000000001}', '1', '7'],
  ]
  for (const [text, line, column] of cases) expect(positionIn(text), text).toEqual([line, column])
})

test('a position is reported for exactly those texts that JSON.parse rejects', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-0.5e1', 'true', 'null', ' ', '\n', '"\\n"')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join('')
      const parsed = parseJson(text)
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      expect('value' in parsed, text).toBe(valid)
      expect(syntaxErrorAt(text)).toBeLessThanOrEqual(text.length)
      // The text before the error is a valid beginning.
      if (!valid) expect(syntaxErrorAt(text.slice(0, syntaxErrorAt(text)))).toBe(syntaxErrorAt(text))
      else expect(syntaxErrorAt(text)).toBe(text.length)
    }),
    { numRuns: 2000 },
  )
})

test('of many unrepresentable numbers, only as many are marked as an error reports', () => {
  const parsed = parseJson(`[${'1e308,'.repeat(1_000)}1]`) as { value: number[] }
  expect(parsed.value.filter((number) => number === Number.POSITIVE_INFINITY)).toHaveLength(MAX_REPORTED_FIELDS)
})

test('a number of millions of digits is refused without looking at each digit again and again', () => {
  const long = '0'.repeat(1_000_000)
  for (const number of [`1${long}1`, `0.${long}1`, `-1${long}.${long}1`, `1e${long}1`, `1.${long}`])
    expect(read(`[${number}]`)).toEqual([Number.POSITIVE_INFINITY])
  for (const broken of [
    `${long}1`,
    `-${long}`,
    `1${long}1.`,
    `1${long}1.5.5`,
    `1${long}1e`,
    `1${long}1e+`,
    `1${long}-`,
  ])
    expect(parseJson(`[${broken}]`)).toMatchObject({ fault: expect.stringContaining('syntax error') })
})
