import { built } from './built.mjs'

await built('server/main')
