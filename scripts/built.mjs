import './prepare.mjs'

/** Loads a module of the built server, which is built first if it is out of date. */
export const built = (name) => import(new URL(`../dist/${name}.js`, import.meta.url).href)
