import Type from 'typebox'
import type { Config } from '../config/config.ts'
import type { Api } from '../http/api.ts'
import { data, errors, IdParams } from '../input/schemas.ts'
import type { Db } from '../storage/database.ts'
import { changePerson } from './change-person.ts'
import { invitePerson } from './invite-person.ts'
import { linkPerson } from './link-person.ts'
import { linkAddress } from './one-time-links.ts'
import { listPeople, requireOwner } from './people.ts'
import { removePerson } from './remove-person.ts'
import { Done, InvitationReply, MAX_PEOPLE, NewPerson, Person, PersonChange, PersonParams } from './schema.ts'

const SMALL_BODY = 16 * 1024

/** Lets owners manage the members of a store, with the operations of the command `user`. */
export const peopleRoutes = (app: Api, { db, config }: { db: Db; config: Config }) => {
  const reading = { config: { access: 'account', subject: 'store' } } as const
  const writing = { config: { access: 'account', subject: 'store', confirmed: true }, bodyLimit: SMALL_BODY } as const

  app.get(
    '/stores/:id/people',
    {
      ...reading,
      schema: {
        params: IdParams,
        response: { 200: data({ people: Type.Array(Person, { maxItems: MAX_PEOPLE }) }), ...errors },
      },
    },
    async ({ session: { account }, params }, reply) => {
      await requireOwner(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { people: await listPeople(db, account, params.id) } }
    },
  )

  app.post(
    '/stores/:id/people',
    { ...writing, schema: { params: IdParams, body: NewPerson, response: { 200: InvitationReply, ...errors } } },
    async ({ session: { account }, params, body }, reply) => {
      await requireOwner(db, account, params.id)
      const { person, code } = await invitePerson(db, account, params.id, body)
      reply.header('Cache-Control', 'no-store')
      return { data: { person, link: linkAddress(config, code) } }
    },
  )

  app.put(
    '/stores/:id/people/:account',
    {
      ...writing,
      schema: { params: PersonParams, body: PersonChange, response: { 200: data({ person: Person }), ...errors } },
    },
    async ({ session: { account }, params, body }, reply) => {
      await requireOwner(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { person: await changePerson(db, account, params.id, params.account, body) } }
    },
  )

  app.delete(
    '/stores/:id/people/:account',
    { ...writing, schema: { params: PersonParams, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params }, reply) => {
      await requireOwner(db, account, params.id)
      await removePerson(db, account, params.id, params.account)
      return reply.header('Cache-Control', 'no-store').send({ data: {} })
    },
  )

  app.post(
    '/stores/:id/people/:account/link',
    { ...writing, schema: { params: PersonParams, response: { 200: data({ link: Type.String() }), ...errors } } },
    async ({ session: { account }, params }, reply) => {
      await requireOwner(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { link: linkAddress(config, await linkPerson(db, account, params.id, params.account)) } }
    },
  )
}
