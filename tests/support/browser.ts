import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Whether a browser is installed. If not, prints what is not tested. */
export const hasBrowser = (untested: string) => {
  const installed = existsSync(CHROMIUM)
  if (!installed) console.warn(`No Chromium at ${CHROMIUM}: ${untested}.`)
  return installed
}

export const launchBrowser = () => chromium.launch({ executablePath: CHROMIUM, args: QUIET })
