import { COMMAND_LINE } from '../../src/accounts/audit.ts'
import { createAccount, type Grant, grantRole } from '../../src/accounts/manage-accounts.ts'
import type { TestApi } from './api.ts'
import { type Caller, createCaller, type Reply } from './caller.ts'

export const PASSWORD = 'correct horse battery'

/** What a browser sends from a page of the console. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

/** The value of the session cookie that a reply sets, as a browser sends it back. */
export const cookieOf = (reply: Reply) => (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

export const consoleCaller = (api: Pick<TestApi, 'app' | 'origin'>, cookie = ''): Caller =>
  createCaller(api.app, api.origin, '/console/api', { ...OWN_PAGE, ...(cookie && { cookie }) })

let people = 0

/** A person with the given roles who has signed in. */
export const addPerson = async (api: TestApi, ...grants: Grant[]) => {
  const email = `person-${process.pid}-${++people}@shop.example`
  const [first = { role: 'operator' }, ...more] = grants
  const { account, code } = await createAccount(api.db, COMMAND_LINE, { email, name: `Amina ${people}` }, first)
  for (const grant of more) await grantRole(api.db, COMMAND_LINE, email, grant)
  const reply = await consoleCaller(api).post('/link', { code, password: PASSWORD })
  if (reply.status !== 200) throw new Error(reply.text)
  const cookie = cookieOf(reply)
  return { ...account, email, cookie, console: consoleCaller(api, cookie) }
}

/** A token of the console for a store, as an API caller. */
export const storeCaller = async (api: TestApi, person: { console: Caller }, store = api.store.id) => {
  const { body } = await person.console.post(`/stores/${store}/token`)
  return api.anonymous.with({ authorization: `Bearer ${body.data.token}` })
}
