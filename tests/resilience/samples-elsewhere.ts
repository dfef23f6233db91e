import { Webhook } from 'standardwebhooks'
import { PERMISSIONS } from '../../src/resources/permissions/catalogue.ts'
import type { Reply } from '../support/caller.ts'
import { form, picture } from '../support/uploads.ts'
import type { FullStore } from './full-store.ts'

export const BILLING_SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

/** Requests that succeed, by operation, to those that no sample reaches: without a token, or about what only a reply names. */
export const sendElsewhere = async ({ api, all, invoice }: FullStore): Promise<Record<string, Reply>> => {
  const app = await api.install(PERMISSIONS)
  const getToken = await api.anonymous.post('/auth/get-token', {
    client_id: app.client_id,
    client_secret: app.client_secret,
  })
  const unbound = api.anonymous.with({ authorization: `Bearer ${getToken.body.data.token}` })
  const file = (await all.post('/file', form({ file: { name: 'a.png', bytes: await picture() } }))).body.data.file
  const pathOf = (url: string) => url.slice(url.indexOf('/files/'))
  const { events } = (await all.get('/event')).body.data
  const { amount, currency } = (await all.post(`/invoice/${invoice.id}/pay`, {})).body.data.payment
  const paid = { invoice_id: invoice.id, amount, currency, reference: 'pay_1' }
  const now = new Date()
  return {
    getToken,
    listInstallations: await unbound.get('/auth/installation'),
    downloadFile: await api.anonymous.get(pathOf(file.url)),
    downloadThumbnail: await api.anonymous.get(pathOf(file.thumbnail)),
    getEvent: await all.get(`/event/${events[0].id}`),
    reportPayment: await api.anonymous.post('/billing/paid', paid, {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(BILLING_SECRET).sign('msg_1', now, JSON.stringify(paid)),
    }),
  }
}
