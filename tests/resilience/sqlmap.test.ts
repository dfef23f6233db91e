import { expect, test } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import type { JsonSchema } from '../../src/core/input/validation-messages.ts'
import { PERMISSIONS } from '../../src/resources/permissions/catalogue.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { createFullStore } from './full-store.ts'
import { findTool, runTool } from './raw-http.ts'
import { recordResult } from './results-table.ts'

const SECONDS_A_LIST = 120

/** The same code reads these for every list: the first one stands for all. */
const SHARED = ['page', 'page_size', 'order_by', 'order_direction', 'from', 'to', 'updated_from', 'updated_to']

const USUAL: Record<string, string> = {
  country: 'TN',
  currency: 'TND',
  // sqlmap would treat an asterisk as the only injection point.
  mime_type: 'image/png',
  page: '1',
  page_size: '5',
  order_direction: 'DESC',
}

const valueFor = (name: string, shape: JsonSchema): string => {
  const { type, enum: choices, format, items } = shape
  if (USUAL[name]) return USUAL[name]
  if (choices?.[0]) return choices[0]
  if (items) return valueFor(name, items)
  if (format === 'uuid') return '00000000-0000-7000-8000-000000000000'
  if (format === 'date-bound') return '2026-01-01'
  return type === 'boolean' ? 'true' : type === 'integer' ? '3' : 'mug'
}

test('sqlmap finds no injection in the list parameters', async () => {
  const tool = findTool('sqlmap')
  const row = 'sqlmap: every parameter of every list'
  if (!tool) return recordResult({ case: row, tried: 0, lost: 0, note: 'skipped: sqlmap is not installed' })
  const { api, all } = await createFullStore()
  const installed = await api.install(PERMISSIONS)
  const token = await api.getToken(installed, { install_id: installed.install_id, ttl: 86_400 })
  const lists = api.app.routeTable.filter(
    ({ method, url, schema }) =>
      method === 'GET' &&
      url.startsWith(API_PREFIX) &&
      'order_by' in ((schema.querystring as JsonSchema)?.properties ?? {}),
  )
  let tried = 0
  const found: string[] = []
  const seen = new Set<string>()
  for (const { url, schema } of lists) {
    const given = Object.entries((schema.querystring as JsonSchema).properties ?? {}).filter(
      ([name]) => name !== 'cursor',
    )
    const fields = given.filter(([name]) => !seen.has(name))
    for (const name of SHARED) if (fields.some(([field]) => field === name)) seen.add(name)
    if (fields.length === 0) continue
    const query = given.map(([name, shape]) => `${name}=${valueFor(name, shape)}`).join('&')
    expect((await all.get(`${url.slice(API_PREFIX.length)}?${query}`)).status, `${url}?${query}`).toBe(200)
    const folder = await temporaryFolder()
    const { output } = await runTool(
      tool,
      ['-u', `${api.origin}${url}?${query}`, '-H', `Authorization: Bearer ${token}`, '--batch', '--dbms=PostgreSQL']
        .concat([
          '--technique=BEU',
          '--threads=2',
          '--timeout=5',
          '--retries=0',
          '--flush-session',
          '--disable-coloring',
        ])
        .concat(['-p', fields.map(([name]) => name).join(), '--output-dir', folder, '--ignore-code=422']),
      SECONDS_A_LIST * 1_000,
    )
    expect(output, 'sqlmap got to work').toMatch(/testing (if|for|connection)/)
    // What only "appears to be" injectable is checked again by sqlmap: a list of changes says until when it is complete, so no
    // two replies are alike, which its first guess takes for a hit.
    for (const line of output.split('\n')) if (/is vulnerable|Parameter: /.test(line)) found.push(`${url}: ${line}`)
    const isDone = ([name]: [string, JsonSchema]) =>
      output.includes(`GET parameter '${name}' does not seem to be injectable`)
    expect(
      fields.filter((field) => !isDone(field)).map(([name]) => name),
      `${url}: not done with`,
    ).toEqual([])
    tried += fields.length
  }
  expect(found).toEqual([])
  recordResult({ case: row, tried, lost: found.length, note: `${SECONDS_A_LIST} s a list at most` })
})
