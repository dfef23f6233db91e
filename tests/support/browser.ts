import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { addCleanup } from './cleanup.ts'

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

/** Ends with the worker: Chromium exits when the pipe to it is closed. */
let shared: Promise<Browser> | undefined

const launch = async () => {
  try {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
    return browser.once('disconnected', () => (shared = undefined))
  } catch (error) {
    shared = undefined
    throw error
  }
}

/** One browser for all test files of a worker. What a file leaves open is closed when it ends. */
export const openBrowser = async () => {
  shared ??= launch()
  const browser = await shared
  addCleanup(() => Promise.all(browser.contexts().map((context) => context.close())))
  return browser
}
