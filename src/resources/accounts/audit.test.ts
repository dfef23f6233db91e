import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addPerson, addRole, consoleCaller, PASSWORD } from '../../../tests/support/console.ts'
import { COMMAND_LINE } from './audit.ts'
import { grantRole, revokeRole } from './change-role.ts'
import { disableAccount, enableAccount } from './disable-account.ts'
import { invite } from './invitations.ts'
import { linkAccount } from './link-account.ts'

/** Accounts, roles, sessions and links, without the times of last use. */
const stateOf = async (api: TestApi) => {
  const { rows } = await sql<object>`select
    (select jsonb_agg(to_jsonb(a) - 'last_seen_at' order by a.id) from account a) as accounts,
    (select jsonb_agg(to_jsonb(m) order by m.store_id, m.account_id) from membership m) as members,
    (select jsonb_agg(s.id order by s.id) from session s) as sessions,
    (select jsonb_agg(to_jsonb(i) order by i.id) from invitation i) as invitations,
    (select jsonb_agg(to_jsonb(l) order by l.id) from one_time_link l) as links`.execute(api.db)
  return rows[0]
}

test('an action that cannot be recorded in the audit log is not carried out', async () => {
  const api = await startTestApi()
  const store = api.store.id
  const owner = await addPerson(api, { role: 'owner', store })
  const staff = await addPerson(api, { role: 'staff', store, permissions: ['order:view'] })
  await addPerson(api)
  const disabled = await addPerson(api)
  await disableAccount(api.db, COMMAND_LINE, disabled.email)
  const invited = await invite(api.db, COMMAND_LINE, { email: 'new@shop.example', name: '' }, { role: 'operator' })
  const pending = await invite(
    api.db,
    COMMAND_LINE,
    { email: 'pending@shop.example', name: '' },
    { role: 'owner', store },
  )
  const joining = await invite(api.db, COMMAND_LINE, { email: 'joins@shop.example', name: '' }, { role: 'operator' })
  const other = await consoleCaller(api).post('/sign-in', { email: owner.email, password: PASSWORD })
  expect(other.status).toBe(200)
  const { sessions } = (await owner.console.get('/sessions')).body.data
  const people = `/stores/${store}/people`
  const invitations = `/stores/${store}/invitations`
  const password = 'another horse battery'
  const newcomer = () => ({ email: `${randomUUID()}@shop.example`, name: '' })

  const requests = {
    sign_in: () => consoleCaller(api).post('/sign-in', { email: owner.email, password: PASSWORD }),
    accept_invitation: () => consoleCaller(api).post('/link', { code: invited.code, password }),
    join: () => staff.console.post('/link/join', { code: joining.code }),
    change_password: () => owner.console.post('/password', { current_password: PASSWORD, password }),
    end_session: () =>
      owner.console.delete(`/sessions/${sessions.find((one: { is_current: boolean }) => !one.is_current).id}`),
    end_sessions: () => owner.console.delete('/sessions'),
    sign_out: () => owner.console.post('/sign-out'),
    invite: () => owner.console.post(invitations, { ...newcomer(), role: 'owner' }),
    change: () => owner.console.put(`${people}/${staff.id}`, { role: 'owner' }),
    remove: () => owner.console.delete(`${people}/${staff.id}`),
    change_invitation: () => owner.console.put(`${invitations}/${pending.id}`, { role: 'owner' }),
    link_invitation: () => owner.console.post(`${invitations}/${pending.id}/link`),
    withdraw: () => owner.console.delete(`${invitations}/${pending.id}`),
  }
  const commands = {
    invite: () => invite(api.db, COMMAND_LINE, newcomer(), { role: 'owner', store }),
    create_link: () => linkAccount(api.db, COMMAND_LINE, staff.email),
    grant: () => grantRole(api.db, COMMAND_LINE, staff.email, { role: 'operator' }),
    change: () => grantRole(api.db, COMMAND_LINE, staff.email, { role: 'staff', store, permissions: ['order:create'] }),
    revoke: () => revokeRole(api.db, COMMAND_LINE, staff.email, { role: 'staff', store }),
    disable_account: () => disableAccount(api.db, COMMAND_LINE, staff.email),
    enable_account: () => enableAccount(api.db, COMMAND_LINE, disabled.email),
  }

  const before = await stateOf(api)
  await sql`alter table audit_entry add constraint full_disk check (false) not valid`.execute(api.db)
  for (const [act, request] of Object.entries(requests)) {
    const reply = await request()
    expect(reply, act).toFailWith('server_error')
    expect(reply.headers.get('set-cookie'), act).toBeNull()
    expect(await stateOf(api), act).toEqual(before)
  }
  for (const [act, command] of Object.entries(commands)) {
    await expect(command(), act).rejects.toThrow('full_disk')
    expect(await stateOf(api), act).toEqual(before)
  }

  // Without the constraint each action succeeds, so only the audit log prevented it above.
  await sql`alter table audit_entry drop constraint full_disk`.execute(api.db)
  let was = before
  const expectChange = async (act: string) => {
    const now = await stateOf(api)
    expect(now, act).not.toEqual(was)
    was = now
  }
  const { change_password, sign_out, end_sessions: _, ...first } = requests
  for (const [act, request] of Object.entries(first)) {
    expect((await request()).status, act).toBe(200)
    await expectChange(act)
  }
  await addRole(api, staff, { role: 'staff', store, permissions: ['order:view'] })
  was = await stateOf(api)
  for (const [act, command] of Object.entries(commands)) {
    await command()
    await expectChange(act)
  }
  for (const [act, request] of Object.entries({ change_password, sign_out })) {
    expect((await request()).status, act).toBe(200)
    await expectChange(act)
  }
})
