import { readFileSync } from 'node:fs'
import { createClient } from '../client/dist/index.js'

/** The credentials of the environment, or else those of the demo store, which `npm start` leaves in data/demo.json. */
const readCredentials = () => {
  const { CLIENT_ID, CLIENT_SECRET, INSTALL_ID } = process.env
  if (CLIENT_ID && CLIENT_SECRET && INSTALL_ID)
    return { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, installId: INSTALL_ID }
  try {
    const demo = JSON.parse(readFileSync(new URL('../data/demo.json', import.meta.url), 'utf8'))
    return { clientId: demo.client_id, clientSecret: demo.client_secret, installId: demo.install_id }
  } catch {
    throw new Error('Set CLIENT_ID, CLIENT_SECRET and INSTALL_ID, or start the demo store with npm start.')
  }
}

export const connect = () =>
  createClient({
    baseUrl: process.env.STOREFRONT_URL ?? 'http://127.0.0.1:3000/api/apps/v1',
    ...readCredentials(),
  })
