import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const bench = path.dirname(fileURLToPath(import.meta.url))
export const root = path.dirname(bench)
export const dist = path.resolve(root, process.env.DIST ?? 'dist')
export const dataDir = path.resolve(root, process.env.BENCH_DATA ?? 'data-bench')

/** Loads a module of the built server. */
export const fromDist = (module) => import(pathToFileURL(path.join(dist, module)).href)

/** The path prefix of the API. */
export const { API_PREFIX: api } = await fromDist('config/config.js')

/** What a captured request has where each request has a number of its own: eight digits, so that a phone number stays one. */
export const CAPTURE_MARK = '81726354'
