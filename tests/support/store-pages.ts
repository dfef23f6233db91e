import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A file of the console. */
export const readConsole = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../console/${name}`, import.meta.url)), 'utf8')

/** The pages of a store as routes.tsx lists them, each with its code. */
export const storePages = () => {
  const routes = readConsole('src/routes.tsx')
  const loaded = routes.matchAll(/const (\w+) = loadable\w*\(\(\) => import\('\.\/(.+?)'\)\)/g)
  const files = new Map([...loaded].map(([, name, file]) => [name, file]))
  const [, entries = ''] = /export const STORE_PAGES[^=]*= \[\n(.*?)\n\]/s.exec(routes) ?? []
  return [...entries.matchAll(/path: '([^']*)',\s+page: (\w+)/g)].map(([, path, name]) => ({
    path: path || '/',
    source: readConsole(`src/${files.get(name)}`),
  }))
}
