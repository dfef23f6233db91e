import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PAGES = fileURLToPath(new URL('../../console/src/pages/', import.meta.url))

/** A file of the console. */
export const readConsole = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../console/${name}`, import.meta.url)), 'utf8')

/** All pages as the folders of pages/ declare them. */
export const declaredPages = () =>
  readdirSync(PAGES)
    .filter((folder) => existsSync(`${PAGES}${folder}/routes.tsx`))
    .flatMap((folder) => {
      const routes = readFileSync(`${PAGES}${folder}/routes.tsx`, 'utf8')
      const entries = routes.matchAll(
        /^ {4}path: '([^']*)',\n {4}page: loadablePage\(\(\) => import\('\.\/([^']+)'\)\),$.*?^ {2}\}/gms,
      )
      return [...entries].map(([text, path, file]) => ({
        path: path || '/',
        file: `pages/${folder}/${file}`,
        isInStore: !/^ {4}who:/m.test(text),
        /** In the menu. */
        place: /\bplace: (\d+),/.exec(text)?.[1],
        key: /\bkey: '(.+?)'/.exec(text)?.[1],
      }))
    })

/** The pages of a store, each with its code. */
export const storePages = () =>
  declaredPages()
    .filter(({ isInStore }) => isInStore)
    .map(({ path, file }) => ({ path, source: readConsole(`src/${file}`) }))
