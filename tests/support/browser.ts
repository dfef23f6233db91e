import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const SHELL = '/usr/bin/chromium-headless-shell'

/** The shell draws no windows, which takes half of Chromium's processor time. */
const CHROMIUM = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium')

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
