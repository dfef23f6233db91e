import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ConfigError, readConfig, settings } from './config.ts'
import { envExample, settingsTable } from './settings-documents.ts'

test('the defaults apply without any setting', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 3000,
    WORKERS: 1,
    METRICS: 'auto',
    DEMO: 'auto',
    isLocal: true,
  })
  expect(config.DATA_DIR).toMatch(/^\/.*data$/)
  expect(config.baseUrl).toBe('http://127.0.0.1:3000/api/apps/v1')
})

test.each([
  ['PORT', '99999'],
  ['PORT', 'eighty'],
  ['BASE_URL', 'ftp://shop.example'],
  ['DATABASE_URL', 'mysql://localhost/shop'],
  ['DATABASE_POOL', '0'],
  ['TOKEN_SECRET', 'short'],
  ['CORS_ORIGIN', 'admin.example'],
  ['CORS_ORIGIN', 'https://admin.example/path'],
  ['CORS_ORIGIN', 'https://a.example, *'],
  ['CORS_ORIGIN', 'null'],
  ['DEMO', 'maybe'],
  ['LOG_LEVEL', 'loud'],
  ['RATE_LIMIT_PER_MINUTE', '-1'],
  ['MAX_UPLOAD_MB', '0'],
  ['WORKERS', '0'],
  ['WORKERS', 'many'],
  ['METRICS', 'somewhere'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', '99'],
  ['TRUST_PROXY', 'proxy.example'],
  ['TRUST_PROXY', '10.0.0.1,,'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '0.0.0.0/0'],
  ['DATABASE_PREPARE', 'perhaps'],
])('%s=%s stops the start and is named in the error', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must `))
})

test.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['WORKER', 'WORKERS'],
])('%s is reported as a misspelt %s', (name, meant) => {
  expect(readConfig({ [name]: 'x' }).warnings).toEqual([`${name} is not a setting: did you mean ${meant}?`])
})

test('variables of other programs, and a typo beside the right setting, cause no warning', () => {
  const others = ['PATH', 'HOME', 'HOSTNAME', 'PGHOST', 'PGPORT', 'AWS_REGION', 'NODE_ENV', 'TERM', 'LANG', 'no_proxy']
  const env = { ...Object.fromEntries(others.map((name) => [name, 'x'])), WORKER: '2', WORKERS: '2' }
  expect(readConfig(env).warnings).toEqual([])
})

test('standbys are a list of addresses, and may be behind for less than writers read their own writes', () => {
  const urls = ['postgresql://u@one/shop', 'postgres://u@two:5433/shop']
  expect(readConfig({ DATABASE_REPLICA_URL: urls.join(', ') }).DATABASE_REPLICA_URL).toEqual(urls)
  expect(readConfig({}).DATABASE_REPLICA_URL).toEqual([])
  expect(() => readConfig({ DATABASE_REPLICA_URL: 'postgres://u@one/shop,mysql://two' })).toThrow(
    'DATABASE_REPLICA_URL',
  )
  expect(() => readConfig({ DATABASE_REPLICA_URL: 'postgres://one,two/shop' })).toThrow('must have one host')
  const behind = { READ_YOUR_WRITES_SECONDS: '5', REPLICA_MAX_LAG_SECONDS: '5' }
  expect(() => readConfig(behind)).toThrow('REPLICA_MAX_LAG_SECONDS must be less')
})

test('all invalid settings are named at once, secrets without their value', () => {
  try {
    readConfig({ PORT: 'x', TOKEN_SECRET: 'hunter2' })
    expect.unreachable()
  } catch (error) {
    const { message } = error as Error
    expect(message).toMatch(/PORT .*\nTOKEN_SECRET /)
    expect(message).not.toContain('hunter2')
  }
})

test('BASE_URL works with and without the path of the API', () => {
  for (const BASE_URL of [
    'https://api.shop.example',
    'https://api.shop.example/',
    'https://api.shop.example/api/apps/v1',
  ])
    expect(readConfig({ BASE_URL }).baseUrl).toBe('https://api.shop.example/api/apps/v1')
  expect(readConfig({ HOST: '0.0.0.0', PORT: '80' }).baseUrl).toBe('http://localhost:80/api/apps/v1')
  expect(readConfig({ HOST: '::1' }).baseUrl).toBe('http://[::1]:3000/api/apps/v1')
})

test('an empty variable counts as not set', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ PORT: 3000, DATABASE_URL: undefined })
})

test('METRICS accepts an address, and WORKERS=auto uses all cores', () => {
  expect(readConfig({ METRICS: '127.0.0.1:9464' }).METRICS).toEqual({ host: '127.0.0.1', port: 9464 })
  expect(readConfig({ METRICS: '[::1]:9464' }).METRICS).toEqual({ host: '::1', port: 9464 })
  expect(readConfig({ WORKERS: 'auto' }).WORKERS).toBeGreaterThan(0)
})

test('a service is local only if no setting suggests otherwise', () => {
  for (const HOST of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) expect(readConfig({ HOST }).isLocal).toBe(true)
  for (const env of [
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.4' },
    { HOST: 'localhost.example' },
    { BASE_URL: 'http://localhost:3000' },
    { TRUST_PROXY: '1' },
    { NODE_ENV: 'production' },
  ])
    expect(readConfig(env).isLocal, JSON.stringify(env)).toBe(false)
})

test('.env.example and the README table match the settings (npm run settings)', () => {
  expect(readFileSync('.env.example', 'utf8')).toBe(envExample(settings))
  expect(readFileSync('README.md', 'utf8')).toContain(settingsTable(settings))
})
