import { readdirSync, readFileSync } from 'node:fs'
import type { DemoCredentials } from '../demo/credentials-file.ts'

const FOLDER = new URL('./guides/', import.meta.url)

/** The URL in guides and examples. It is replaced with that of the server. */
export const DEFAULT_BASE_URL = 'http://127.0.0.1:3000/api/apps/v1'

/** All guides, in the sequence of the numbers of their files. */
export const readGuides = (baseUrl: string) =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => readFileSync(new URL(name, FOLDER), 'utf8').trim().replaceAll(DEFAULT_BASE_URL, baseUrl))
    .join('\n\n')

const curl = (baseUrl: string, { install_id, client_id, client_secret }: DemoCredentials) => `\`\`\`sh
BASE=${baseUrl}
TOKEN=$(curl -sS --fail-with-body $BASE/auth/get-token -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ client_id, client_secret, install_id })}' \\
  | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
curl -sS --fail-with-body "$BASE/product?page_size=2" -H "Authorization: Bearer $TOKEN"
\`\`\``

const WITH_DEMO = ({ install_id, client_id, client_secret }: DemoCredentials) => `This server has a demo store. Its app:

| | |
|---|---|
| \`client_id\` | \`${client_id}\` |
| \`client_secret\` | \`${client_secret}\` |
| \`install_id\` | \`${install_id}\` |

Every **Test Request** on this page is signed with a token of the demo store already. From a terminal:`

const WITHOUT_DEMO = `With the credentials of your app, and the id of its installation on a store:`

const YOURS = { client_id: 'YOUR_CLIENT_ID', client_secret: 'YOUR_CLIENT_SECRET', install_id: 'YOUR_INSTALL_ID' }

/** The quick start, with the credentials of the demo store if there is one. */
export const quickStart = (baseUrl: string, demo?: DemoCredentials) =>
  `Read and write the resources of an online store: products, orders, customers, reviews, landing pages, carriers and
files.

# Quick start

${demo ? WITH_DEMO(demo) : WITHOUT_DEMO}

${curl(baseUrl, demo ?? YOURS)}`
