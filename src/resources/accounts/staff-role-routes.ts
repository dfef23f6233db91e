import type { Api } from '../../core/http/api.ts'
import { errors, IdParams } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { requireOwnerToChange } from './people.ts'
import {
  NewStaffRole,
  StaffRoleChange,
  StaffRoleDeleted,
  StaffRoleDeletion,
  StaffRoleParams,
  StaffRoleReply,
} from './schema.ts'
import { changeStaffRole, createStaffRole, deleteStaffRole } from './staff-roles.ts'

const SMALL_BODY = 16 * 1024

/** Named roles of a store: the same operations as the command `role`. They are listed with its people. */
export const staffRoleRoutes = (app: Api, { db }: { db: Db }) => {
  const writing = { config: { access: 'account', subject: 'store', confirmed: true }, bodyLimit: SMALL_BODY } as const

  app.post(
    '/stores/:id/roles',
    { ...writing, schema: { params: IdParams, body: NewStaffRole, response: { 200: StaffRoleReply, ...errors } } },
    async ({ session: { account }, params, body }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { role: await createStaffRole(db, account, store, body) } }
    },
  )

  app.put(
    '/stores/:id/roles/:role',
    {
      ...writing,
      schema: { params: StaffRoleParams, body: StaffRoleChange, response: { 200: StaffRoleReply, ...errors } },
    },
    async ({ session: { account }, params, body }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { role: await changeStaffRole(db, account, store, params.role, body) } }
    },
  )

  app.delete(
    '/stores/:id/roles/:role',
    {
      ...writing,
      schema: {
        params: StaffRoleParams,
        querystring: StaffRoleDeletion,
        response: { 200: StaffRoleDeleted, ...errors },
      },
    },
    async ({ session: { account }, params, query }, reply) => {
      const store = await requireOwnerToChange(db, account, params.id)
      reply.header('Cache-Control', 'no-store')
      return { data: { people: await deleteStaffRole(db, account, store, params.role, query.replacement) } }
    },
  )
}
