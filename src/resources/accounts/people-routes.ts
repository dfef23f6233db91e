import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { data, errors, IdParams } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { linkAddress } from './one-time-links.ts'
import {
  changeInvitation,
  changePerson,
  invitePerson,
  linkInvitation,
  listPeople,
  removePerson,
  requireOwner,
  requireOwnerToChange,
  withdrawInvitation,
} from './people.ts'
import {
  Done,
  Invitation,
  InvitationParams,
  InvitationReply,
  NewPerson,
  PeopleReply,
  Person,
  PersonChange,
  PersonParams,
} from './schema.ts'

const SMALL_BODY = 16 * 1024

/** Lets owners manage the members of a store, with the operations of the command `user`. */
export const peopleRoutes = (app: Api, { db, config }: { db: Db; config: Config }) => {
  const reading = { config: { access: 'account', subject: 'store' } } as const
  const writing = { config: { access: 'account', subject: 'store', confirmed: true }, bodyLimit: SMALL_BODY } as const

  app.get(
    '/stores/:id/people',
    { ...reading, schema: { params: IdParams, response: { 200: PeopleReply, ...errors } } },
    async ({ session: { account }, params }, reply) => {
      const { id: store } = await requireOwner(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: await listPeople(db, account, store) }
    },
  )

  app.put(
    '/stores/:id/people/:account',
    {
      ...writing,
      schema: { params: PersonParams, body: PersonChange, response: { 200: data({ person: Person }), ...errors } },
    },
    async ({ session: { account }, params, body }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { person: await changePerson(db, account, store, params.account, body) } }
    },
  )

  app.delete(
    '/stores/:id/people/:account',
    { ...writing, schema: { params: PersonParams, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      await removePerson(db, account, store, params.account)
      return reply.header('Cache-Control', 'no-store').send({ data: {} })
    },
  )

  app.post(
    '/stores/:id/invitations',
    { ...writing, schema: { params: IdParams, body: NewPerson, response: { 200: InvitationReply, ...errors } } },
    async ({ session: { account }, params, body }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      const { invitation, code } = await invitePerson(db, account, store, body)
      reply.header('Cache-Control', 'no-store')
      return { data: { invitation, link: linkAddress(config, code) } }
    },
  )

  app.put(
    '/stores/:id/invitations/:invitation',
    {
      ...writing,
      schema: {
        params: InvitationParams,
        body: PersonChange,
        response: { 200: data({ invitation: Invitation }), ...errors },
      },
    },
    async ({ session: { account }, params, body }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { invitation: await changeInvitation(db, account, store, params.invitation, body) } }
    },
  )

  app.delete(
    '/stores/:id/invitations/:invitation',
    { ...writing, schema: { params: InvitationParams, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      await withdrawInvitation(db, account, store, params.invitation)
      return reply.header('Cache-Control', 'no-store').send({ data: {} })
    },
  )

  app.post(
    '/stores/:id/invitations/:invitation/link',
    { ...writing, schema: { params: InvitationParams, response: { 200: data({ link: Type.String() }), ...errors } } },
    async ({ session: { account }, params }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { link: linkAddress(config, await linkInvitation(db, account, store, params.invitation)) } }
    },
  )
}
