import type { Api } from '../core/http/api.ts'
import { type Db, transact } from '../core/storage/database.ts'
import { findDemoApp } from '../demo/load.ts'
import { readNote } from '../demo/note.ts'
import { STORE } from '../demo/store.ts'
import { type Send, TRIGGERS } from '../demo/triggers.ts'
import { OperatorError } from '../errors.ts'
import { findApp } from '../resources/auth/queries.ts'
import { currentCursor } from '../resources/events/feed.ts'
import { eventId } from '../resources/events/feed-cursor.ts'
import { readEvents } from '../resources/events/read-events.ts'
import { findStore } from '../resources/stores/queries.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import type { CommandIo } from './command-io.ts'
import { recordCommand } from './recorded.ts'

const TTL_SECONDS = 60
const PAGE = 200

/** The app of the demo store, which the events name. Everything else is refused: a trigger leaves orders behind. */
const demoInstallation = async (db: Db, asked: string | undefined) => {
  const store = asked === undefined ? undefined : await findStore(db, asked.toLowerCase())
  if (store && store.id !== STORE.id)
    throw new OperatorError(`${store.name} is not a demo store: events are triggered there only. Nothing was changed.`)
  const { note, found } = await transact(db, async (db) => {
    const note = await readNote(db)
    return { note, found: note && (await findDemoApp(db, note)) }
  })
  const app = found && (await findApp(db, found.id))
  if (!note || !app) throw new OperatorError('There is no demo store: `storefront-apps demo` loads it.')
  if (app.disabled)
    throw new OperatorError('The app of the demo store is disabled: `storefront-apps demo` enables it again.')
  return { appId: app.id, generation: app.generation, installId: note.install_id }
}

const createSend =
  (app: Api, prefix: string, token: string): Send =>
  async (method, path, body) => {
    const reply = await app.inject({
      method,
      url: `${prefix}${path}`,
      headers: { authorization: `Bearer ${token}`, 'user-agent': 'storefront-apps event trigger' },
      ...(body && { payload: body }),
    })
    const { data, message, errors } = reply.json()
    if (reply.statusCode < 300) return data
    const fields = Object.entries(errors ?? {}).map(([field, texts]) => `${field} ${texts}`)
    throw new OperatorError([`${method} ${path} was refused: ${message}`, ...fields].join(' '))
  }

const triggerOf = (name: string) => {
  const trigger = TRIGGERS.get(name)
  if (trigger) return trigger
  throw new UsageError(`There is no trigger ${name}. Choose one of ${[...TRIGGERS.keys()].join(', ')}.`)
}

const trigger = (input: Input, io: CommandIo) =>
  withDatabase(io, 'event trigger', async ({ db, config, connection }) => {
    const run = triggerOf(input.text('NAME'))
    const installation = await demoInstallation(db, input.optional('store'))
    const [{ openWithoutPort }, { eventKinds }, { API_PREFIX }] = await Promise.all([
      import('../server/http-server.ts'),
      import('../app.ts'),
      import('../config/config.ts'),
    ])
    const before = await currentCursor(db, STORE.id)
    // The log of a server goes to standard output, where the events are printed.
    const { app, services, close } = await openWithoutPort({ ...config, LOG_LEVEL: 'silent' }, connection)
    try {
      const token = services.tokens.sign({ ...installation, expires: Date.now() / 1000 + TTL_SECONDS })
      await run(createSend(app, API_PREFIX, token))
      await recordCommand(db, 'event trigger', { name: input.text('NAME') }, STORE.id)
    } finally {
      await close()
    }
    const all = { kinds: eventKinds.names, types: [] }
    const { events, next } = await readEvents(db, STORE.id, before, all, PAGE)
    const value = events.map(({ position, kind, action, resource_id, changed }) => ({
      id: eventId(next.feed, position),
      type: `${kind}.${action}`,
      resource: resource_id,
      changed: JSON.parse(changed) as string[],
    }))
    return { value }
  })

export const triggerCommand: Command = {
  name: 'event trigger',
  summary: 'Makes something happen in the demo store, for developing: order.paid, review.created.',
  details:
    'Sends the requests that an app would send, so the events are real: streams, webhooks and listen get them. Prints the ' +
    `events that followed. Refused for a store that is not a demo store. Names:\n  ${[...TRIGGERS.keys()].join('\n  ')}`,
  operands: [{ name: 'NAME', about: 'What is to happen, such as order.paid.' }],
  options: { store: { value: 'STORE_ID', about: 'Id of the demo store. There is only one.' } },
  run: trigger,
}
