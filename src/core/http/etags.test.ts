import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import type { Tx } from '../storage/database.ts'
import { digest, etagOf, matchesEtag } from './encoded-body.ts'
import { innerCalls, type SeenVersion } from './inner-calls.ts'
import { tagOf, type Versioned, type WriteAnswer, writeVersion } from './versions.ts'

test('the ETag of a text is a digest of it', () => {
  expect(digest('text')).toBe('Ny6gjKsz5xwCxlHbyDpHTTLGduo')
  expect(etagOf('text')).toBe('"Ny6gjKsz5xwCxlHbyDpHTTLGduo"')
  expect(etagOf(Buffer.from('text'))).toBe(etagOf('text'))
})

test('If-None-Match lists tags, weak or not, or is a star', () => {
  for (const fits of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a" ', '*', ' * ']) expect(matchesEtag(fits, '"a"')).toBe(true)
  for (const other of [undefined, '', '"b"', '"ab"', 'a', 'xW/"a"', '"W/a"', '"b", *'])
    expect(matchesEtag(other, '"a"')).toBe(false)
})

const BEFORE = '{"id":"1","n":1}'
const AFTER = '{"id":"1","n":2}'
const SIGNED = `?expires=1700000000&signature=${'0a'.repeat(32)}`
const imageWith = (url: string, thumbnail: string | null) => JSON.stringify({ id: '1', url, thumbnail })
const versionIn = (tag: string) => tag.slice(1, tag.indexOf('.'))

test('addresses of files count in the tag, and not in the version that If-Match compares', () => {
  const shown = tagOf(imageWith(`https://shop.example/f/1${SIGNED}`, `https://shop.example/f/1/thumbnail${SIGNED}`))
  const later = `?expires=1800000000&signature=${'0b'.repeat(32)}`
  const same = [
    imageWith(`https://shop.example/f/1${later}`, `https://shop.example/f/1/thumbnail${SIGNED}`),
    imageWith(`https://shop.example/f/1${SIGNED}`, 'https://shop.example/f/1/thumbnail'),
    imageWith(`https://shop.example/f/1${SIGNED}`, null),
    imageWith('', null),
  ].map(tagOf)
  expect(shown).toMatch(/^"[\w-]{27}\.[\w-]{16}"$/)
  const withheld = digest(imageWith('', null))
  for (const tag of [shown, ...same]) expect(versionIn(tag)).toBe(withheld)
  expect(tagOf(BEFORE)).toBe(`"${digest(BEFORE)}.${digest('').slice(0, 16)}"`)
  expect(new Set([shown, ...same]).size).toBe(5)
  const others = [
    imageWith(`https://shop.example/f/1?expires=1700000000&signature=${'0a'.repeat(31)}`, null),
    imageWith(`https://shop.example/f/1?expires=never&signature=${'0a'.repeat(32)}`, null),
    imageWith('https://shop.example/f/1', null),
    imageWith('', 'https://shop.example/f/1'),
    JSON.stringify({ id: '2', url: '', thumbnail: null }),
    JSON.stringify({ id: '1', name: '"url":""', url: '', thumbnail: null }),
  ].map(tagOf)
  expect(new Set([shown, ...others].map(versionIn)).size).toBe(7)
})

/** Runs a write as a route does, with the headers that are given, and notes in which sequence things happen. */
const write = async (
  ifMatch: string | undefined,
  {
    current,
    answer = '{"id":"1","n":2}',
    hasResource = true,
  }: { current?: string; answer?: WriteAnswer; hasResource?: boolean },
) => {
  const steps: string[] = []
  const headers: Record<string, string> = {}
  const reply = {
    request: { headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } },
    header: (name: string, value: string) => (headers[name] = value),
  } as unknown as FastifyReply
  const resource: Versioned = {
    lock: async () => steps.push('lock'),
    read: async () => {
      steps.push('read')
      return current
    },
  }
  const part = await writeVersion({} as Tx, reply, hasResource ? resource : undefined, async () => {
    steps.push('write')
    return answer
  }).catch((error) => error.code as string)
  return { steps: steps.join(), part, etag: headers.ETag }
}

test('a write with If-Match locks the resource, compares its version, and then happens', async () => {
  const done = { steps: 'lock,read,write', part: AFTER, etag: tagOf(AFTER) }
  const tag = tagOf(BEFORE)
  for (const fits of [tag, '*', ' * ', `"x", ${tag}`, `W/"x",${tag}`])
    expect(await write(fits, { current: BEFORE })).toEqual(done)
  const refused = { steps: 'lock,read', part: 'version_mismatch', etag: undefined }
  for (const other of [
    '',
    '"x"',
    `W/${tag}`,
    tagOf(AFTER),
    tag.slice(1, -1),
    `"${versionIn(tag)}"`,
    `"x${tag.slice(1)}`,
  ])
    expect(await write(other, { current: BEFORE })).toEqual(refused)
  // The write itself reports a missing resource.
  expect((await write('"x"', {})).steps).toBe('lock,read,write')
})

test('a write without If-Match, or without a resource to compare, only happens', async () => {
  const done = { steps: 'write', part: AFTER, etag: tagOf(AFTER) }
  expect(await write(undefined, { current: BEFORE })).toEqual(done)
  expect(await write('"x"', { current: BEFORE, hasResource: false })).toEqual(done)
})

test('the ETag of a reply is that of the whole resource, and a deleted one has none', async () => {
  const parted = await write(undefined, { answer: { part: '{"id":"p"}', whole: AFTER } })
  expect(parted).toEqual({ steps: 'write', part: '{"id":"p"}', etag: tagOf(AFTER) })
  expect(await write(undefined, { answer: 'null' })).toEqual({ steps: 'write', part: 'null', etag: undefined })
  expect(await write(undefined, { answer: '' })).toEqual({ steps: 'write', part: '', etag: undefined })
})

test('a rehearsed write tells what it changes', async () => {
  const rehearse = async (given: Parameters<typeof write>[1]) => {
    const seen: SeenVersion[] = []
    const { steps, part } = await innerCalls.run({ via: 'assistant', sees: (version) => void seen.push(version) }, () =>
      write(undefined, given),
    )
    return { steps, seen, part }
  }
  const before = { before: BEFORE, etag: tagOf(BEFORE), after: AFTER }
  expect(await rehearse({ current: BEFORE })).toEqual({ steps: 'lock,read,write', seen: [before], part: AFTER })
  expect(await rehearse({})).toEqual({ steps: 'lock,read,write', seen: [], part: AFTER })
  expect(await rehearse({ current: BEFORE, hasResource: false })).toEqual({ steps: 'write', seen: [], part: AFTER })
})
