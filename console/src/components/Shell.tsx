import { ChevronsUpDown, LogOut, Menu as MenuIcon, Search, User } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { consoleApi, type StoreInfo } from '../api/console.ts'
import { openStore } from '../api/store.tsx'
import { isLanguage, LANGUAGES, useMessages, useWords } from '../messages/messages.ts'
import type { MenuEntry } from '../page-route.ts'
import { isAllowed, maySee, SERVICE_PAGES, STORE_PAGES } from '../routes.ts'
import { leave, tellTabs, useSession, useUpdateMe } from '../session.tsx'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { loadable } from './loadable.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from './Menu.tsx'
import { Palette } from './Palette.tsx'
import { ServiceBanner } from './ServiceBanner.tsx'
import styles from './Shell.module.css'
import { sendDeletions } from './useDelete.ts'
import { useHotkeys } from './useHotkeys.ts'
import { mayLeave } from './useUnsaved.ts'
import { Reading } from './Waiting.tsx'

const KeyboardHelp = loadable(() => import('./KeyboardHelp.tsx'))

const LAST_STORE = 'console.store'

export const lastStore = () => {
  try {
    return localStorage.getItem(LAST_STORE)
  } catch {
    return null
  }
}

const rememberStore = (id: string) => {
  try {
    localStorage.setItem(LAST_STORE, id)
  } catch {
    // Only a convenience, so errors are ignored.
  }
}

const StorePicker = ({ onClose }: { onClose: () => void }) => {
  const { shell } = useMessages()
  const { stores } = useSession()
  const [, navigate] = useLocation()
  const [search, setSearch] = useState('')
  const [found, setFound] = useState<readonly StoreInfo[]>(stores)
  useEffect(() => {
    if (search === '') return setFound(stores)
    const timer = setTimeout(() => consoleApi.stores(search).then(({ stores }) => setFound(stores)), 200)
    return () => clearTimeout(timer)
  }, [search, stores])
  return (
    <Dialog title={shell.switchStore} onClose={onClose}>
      <input
        className={styles.find}
        type="text"
        placeholder={shell.findStore}
        aria-label={shell.findStore}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ul className={styles.found}>
        {found.map((store) => (
          <li key={store.id}>
            <button
              type="button"
              onClick={() => {
                onClose()
                navigate(`/s/${store.id}`)
              }}
            >
              <strong dir="auto">{store.name}</strong>
              <bdi dir="ltr">{store.domain}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

const AccountMenu = () => {
  const { shell, account: words } = useMessages()
  const { account } = useSession()
  const { language } = useWords()
  const update = useUpdateMe()
  const [, navigate] = useLocation()
  const signOut = async () => {
    if (!mayLeave()) return
    await sendDeletions()
    await consoleApi.signOut().catch(() => {})
    tellTabs('signed-out')
    leave()
  }
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={styles.account}>
          <span className={styles.avatar} aria-hidden>
            {(account.name || account.email).slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.who} dir="auto">
            {account.name || account.email}
          </span>
        </button>
      }
    >
      <MenuItem icon={<User />} onSelect={() => navigate('/me')}>
        {shell.account}
      </MenuItem>
      <MenuLine />
      <MenuChoice
        label={shell.theme}
        value={account.theme ?? ''}
        options={[
          { value: '', label: shell.system },
          { value: 'light', label: shell.light },
          { value: 'dark', label: shell.dark },
        ]}
        onChange={(theme) => update({ theme: theme === 'light' || theme === 'dark' ? theme : null })}
      />
      <MenuChoice
        label={shell.language}
        value={account.language ?? ''}
        options={[
          { value: '', label: words.browserDefault },
          ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(value) => update({ language: isLanguage(value) ? value : null })}
      />
      <MenuLine />
      <MenuItem icon={<LogOut className={language === 'ar' ? 'pointing' : ''} />} onSelect={signOut}>
        {shell.signOut}
      </MenuItem>
    </Menu>
  )
}

const Entries = ({ entries, here }: { entries: readonly MenuEntry[]; here: string | undefined }) => {
  const { language } = useWords()
  return (
    <ul className={styles.pages}>
      {entries.map(({ href, title, icon }) => (
        <li key={href}>
          <Link href={href} aria-current={href === here ? 'page' : undefined}>
            {icon}
            {title.of(language)}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Navigation at the start of the line, the page beside it; on narrow screens the navigation slides in. */
export const Shell = ({ store, children }: { store?: StoreInfo | undefined; children: ReactNode }) => {
  const messages = useMessages()
  const { shell } = messages
  const [path, navigate] = useLocation()
  const [opened, setOpened] = useState(false)
  const [overlay, setOverlay] = useState<'palette' | 'stores' | 'keys'>()
  const open = store && openStore(store)
  const { account } = useSession()
  const storePages = open
    ? STORE_PAGES.flatMap((page) =>
        page.navigation && isAllowed(page, open.can) && !(page.ownersOnly && store.role === 'staff')
          ? [{ href: `/s/${store.id}${page.path}`, ...page.navigation }]
          : [],
      )
    : []
  const servicePages = SERVICE_PAGES.flatMap((page) =>
    page.navigation && maySee(page, account) ? [{ href: page.path, ...page.navigation }] : [],
  )
  const pages = [...storePages, ...servicePages]
  // Every path begins with that of the home page, so only its own path leads there.
  const [home] = storePages
  const here = pages.find(({ href }) => path === href || (href !== home?.href && path.startsWith(`${href}/`)))?.href
  const menuButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (store) rememberStore(store.id)
  }, [store])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when the page changes.
  useEffect(() => setOpened(false), [path])
  useHotkeys({
    'mod+k': () => setOverlay('palette'),
    '?': () => setOverlay('keys'),
    ...Object.fromEntries(pages.map(({ key, href }) => [`g ${key}`, () => navigate(href)])),
  })
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        {shell.skip}
      </a>
      <header className={styles.top}>
        <Button
          kind="quiet"
          ref={menuButton}
          icon={<MenuIcon />}
          aria-label={shell.openNavigation}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        />
        <strong>
          <bdi>{store?.name ?? shell.console}</bdi>
        </strong>
        <Button kind="quiet" icon={<Search />} aria-label={shell.palette} onClick={() => setOverlay('palette')} />
      </header>
      {opened && (
        <button
          type="button"
          className={styles.shade}
          aria-label={messages.controls.close}
          onClick={() => setOpened(false)}
        />
      )}
      <nav className={styles.side} data-open={opened || undefined} aria-label={shell.navigation}>
        <button type="button" className={styles.store} onClick={() => setOverlay('stores')}>
          <span className={styles.mark} aria-hidden>
            {(store?.name ?? shell.console).slice(0, 1)}
          </span>
          <span className={styles.who} dir="auto">
            {store?.name ?? shell.console}
          </span>
          <span className="hidden">{shell.switchStore}</span>
          <ChevronsUpDown />
        </button>
        <button type="button" className={styles.finder} onClick={() => setOverlay('palette')}>
          <Search />
          <span>{shell.palette}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <div className={styles.groups}>
          {storePages.length > 0 && <Entries entries={storePages} here={here} />}
          {servicePages.length > 0 && (
            <>
              <p className={styles.group}>{account.is_operator ? shell.service : shell.apps}</p>
              <Entries entries={servicePages} here={here} />
            </>
          )}
        </div>
        <AccountMenu />
      </nav>
      <main id="main" className={styles.main} tabIndex={-1}>
        <Reading />
        <ServiceBanner />
        {store?.is_suspended && <p className={styles.suspended}>{shell.suspended}</p>}
        {children}
      </main>
      {overlay === 'palette' && <Palette store={open} pages={pages} onClose={() => setOverlay(undefined)} />}
      {overlay === 'stores' && <StorePicker onClose={() => setOverlay(undefined)} />}
      {overlay === 'keys' && <KeyboardHelp pages={pages} onClose={() => setOverlay(undefined)} />}
    </div>
  )
}
