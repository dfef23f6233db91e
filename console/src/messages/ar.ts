/// <reference types="vite/types/importMeta.d.ts" />
import { byArea } from './by-area.ts'

/** Every file of `ar/`. */
export default byArea(import.meta.glob<object>('./ar/*.ts', { eager: true, import: 'default' }))
