import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { LOCAL_APPS, manifestOf, startAppSite } from '../../../tests/support/apps.ts'
import { addPerson } from '../../../tests/support/console.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { revokeRole } from '../accounts/change-role.ts'

test('somebody who is no operator any more when the manifest has been read registers no app', async () => {
  const api = await startTestApi(LOCAL_APPS)
  const [operator] = [await addPerson(api), await addPerson(api)]
  const site = await startAppSite()
  const asked = new Promise<ServerResponse>((resolve) => {
    site.documents.set('/slow.json', resolve)
  })
  const registered = operator.console.post('/operator/apps', { url: `${site.origin}/slow.json`, listing: 'listed' })
  const reply = await asked
  await revokeRole(api.db, COMMAND_LINE, operator.email, { role: 'operator' })
  const manifest = await manifestOf()
  reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(manifest))
  expect(await registered).toFailWith('forbidden')
  expect(await api.db.selectFrom('app').select('id').where('name', '=', String(manifest.name)).execute()).toEqual([])
})
