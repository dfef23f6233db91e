import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const ATTACKS_FILE = 'src/resources/oauth/attacks.test.ts'
const ESCALATION = 'src/resources/oauth/escalation.test.ts'
const MANIFEST = 'src/resources/apps/manifest.test.ts'
const APPS = 'src/resources/apps/apps.test.ts'
const BROWSER = 'src/console/apps-browser.test.ts'
const PLANS = 'src/resources/plans/plans.test.ts'

const REDIRECTS = 'nobody is sent to an address that differs from the registered one in any way'
const FOREIGN_PAGE = 'a foreign page cannot decide for a person, nor frame the page'
const PKCE = 'PKCE cannot be left out, weakened or guessed'
const STAFF = 'staff can neither install without the right, nor grant what they may not do themselves'
const OTHER_CODE = 'a code of another client, for another address or after a minute gives nothing'
const DOCUMENT = 'a metadata document is read again before it counts, and never from a private address'
const SESSION = 'a session token says who opens the app, and is worth nothing elsewhere or later'
const PAYMENT = 'an invoice leads to the payment page, and only a signed report of the whole amount pays it'
const NOT_READ = 'a manifest that is huge, slow, elsewhere or not JSON is refused'
const NO_REQUEST = 'what is in the address, or in a request object, is no part of a request'

/** Attacks on apps, consent, tokens and billing: what is tried, and the test that tries it with real requests. */
const ATTACKS: readonly [attack: string, file: string, name: string][] = [
  ['A code is used a second time', ATTACKS_FILE, 'a code works once, and a second use ends the tokens of the first'],
  [
    'A code is used twice at once',
    ATTACKS_FILE,
    'of two uses of a code at the same time, none leaves a token that works',
  ],
  ['A used code of a public client', ESCALATION, 'a second use of a code ends the refresh tokens of the first as well'],
  ['A code of another client', ATTACKS_FILE, OTHER_CODE],
  ['A code for another redirect address', ATTACKS_FILE, OTHER_CODE],
  ['An expired code', ATTACKS_FILE, OTHER_CODE],
  ['A code without the secret', ATTACKS_FILE, 'a code cannot be exchanged with a wrong secret, or with none'],
  [
    'A code or token from before an uninstallation',
    ESCALATION,
    'codes and tokens of an installation that was removed are worth nothing, after a new installation too',
  ],
  ['PKCE left out', ATTACKS_FILE, PKCE],
  ['PKCE with the method plain', ATTACKS_FILE, PKCE],
  ['PKCE downgraded at the exchange', ATTACKS_FILE, PKCE],
  ['A redirect address with a suffix', ATTACKS_FILE, REDIRECTS],
  ['A redirect address with another port', ATTACKS_FILE, REDIRECTS],
  ['A redirect address in other letters', ATTACKS_FILE, REDIRECTS],
  ['A redirect address, encoded', ATTACKS_FILE, REDIRECTS],
  ['A redirect address with user information', ATTACKS_FILE, REDIRECTS],
  ['A redirect address with a fragment', ATTACKS_FILE, REDIRECTS],
  ['An open redirect', ATTACKS_FILE, REDIRECTS],
  ['Parameters that are given twice', ATTACKS_FILE, NO_REQUEST],
  ['Parameters in a request object, or elsewhere than in the form', ATTACKS_FILE, NO_REQUEST],
  [
    'A lost state, and a mix-up of two servers',
    ATTACKS_FILE,
    'the answer repeats the state and says who gives it, so that it cannot be mixed up',
  ],
  ['A forged decision from another site', ATTACKS_FILE, FOREIGN_PAGE],
  ['Clickjacking', ATTACKS_FILE, FOREIGN_PAGE],
  ['A browser that was left open', ATTACKS_FILE, 'whoever signed in long ago gives the password again'],
  ['Consent by staff without the right', ATTACKS_FILE, STAFF],
  ['Consent by staff to more than they may', ATTACKS_FILE, STAFF],
  [
    'Staff who use what a public client may do',
    ESCALATION,
    'through a public client nobody can do more than they may themselves, whatever the store has granted it',
  ],
  [
    'Staff who use what an app with a secret may do',
    ESCALATION,
    'an app with a secret gets a code only from somebody who may do all that it may',
  ],
  [
    'A person who has left, and whose program goes on',
    ESCALATION,
    'whoever loses their place in a store loses the clients that they let in, and nobody else does',
  ],
  ['An app that widens itself', APPS, 'an app sees what it may do and what is pending, and can only narrow itself'],
  [
    'An app that widens another',
    APPS,
    'an app installs another with no more than it may do itself, and cannot widen it',
  ],
  ['An address that widens', ATTACKS_FILE, 'neither the address nor the decision can ask for more than the manifest'],
  [
    'A manifest that changes while the page is open',
    ATTACKS_FILE,
    'what a person has seen is what is granted: a manifest that changes meanwhile is shown again',
  ],
  [
    'An appearance that changes while the page is open',
    ATTACKS_FILE,
    'a new text, picture or policy of the app is shown again as well, in every language',
  ],
  ['A name that imitates', MANIFEST, 'a name that imitates another app is refused, one without a manifest included'],
  [
    'A translated name that imitates',
    MANIFEST,
    'an app cannot take the name of another one in a translation, nor a name that another one is translated to',
  ],
  ['A metadata document at a private address', ATTACKS_FILE, DOCUMENT],
  ['A metadata document that changes between check and use', ATTACKS_FILE, DOCUMENT],
  [
    'A host that resolves to a private address',
    MANIFEST,
    'nothing is requested from a private address, whatever its name resolves to',
  ],
  ['A huge or compressed manifest', MANIFEST, NOT_READ],
  ['A slow manifest', MANIFEST, NOT_READ],
  ['An icon that is a bomb or a program', MANIFEST, 'icons that are bombs, drawings in SVG or no pictures are refused'],
  ['A session token for another app', APPS, SESSION],
  ['A session token for another store', APPS, SESSION],
  ['A session token of another service', APPS, SESSION],
  ['A session token that has expired or was forged', APPS, SESSION],
  [
    'A frame that escapes',
    BROWSER,
    'an embedded app is shown in a sandbox, gets a session token, and its other messages are heard',
  ],
  [
    'A frame at another address',
    BROWSER,
    'only the page that opens an app may frame it, and no page an app with our own address',
  ],
  ['A bridge message from elsewhere', BROWSER, 'messages of other windows and origins are not heard'],
  ['A token from elsewhere, given to an app', BROWSER, 'the example apps of the demo work when they are clicked'],
  [
    'A forged lifecycle message',
    APPS,
    'an app is told of its installation in order, signed, again after failures, and after it is gone',
  ],
  [
    'A lifecycle address in a private network',
    APPS,
    'nothing is posted to a private address, however an app writes it',
  ],
  [
    'A stolen refresh token',
    ATTACKS_FILE,
    'a refresh token is replaced by each use; one that comes back late ends the chain',
  ],
  [
    "Another client's refresh token",
    ATTACKS_FILE,
    'a refresh token is worth nothing to another client, which can neither use nor end it',
  ],
  ["Revoking another client's token", ATTACKS_FILE, 'a client can end only its own tokens'],
  [
    'Guessing secrets',
    ATTACKS_FILE,
    'the token endpoint refuses what is given twice, unknown grants, and secrets guessed too often',
  ],
  ['An app that was disabled', ATTACKS_FILE, 'a disabled app can neither ask for access nor use its codes'],
  [
    'Writers that race for the last place of a plan',
    PLANS,
    'limits hold exactly under 64 writers at once, and what exists can still be changed and deleted',
  ],
  [
    'The invoice of another store',
    PLANS,
    'invoices of another store do not exist, and an invoice that is not paid in time is overdue',
  ],
  ['A forged or repeated payment', PLANS, PAYMENT],
  ['A payment of less, or in another currency', PLANS, PAYMENT],
]

test('each of the attacks on apps has its test', async () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(40)
  expect(new Set(ATTACKS.map(([attack]) => attack)).size).toBe(ATTACKS.length)
  const texts = new Map<string, string>()
  for (const [attack, file, name] of ATTACKS) {
    const text = texts.get(file) ?? (await readFile(file, 'utf8'))
    texts.set(file, text)
    expect(text.includes(`test('${name}', async`), `${attack}: ${file} has no test "${name}"`).toBe(true)
  }
})
