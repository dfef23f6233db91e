/// <reference types="vite/types/importMeta.d.ts" />
import { byArea } from './by-area.ts'

/** Every file of `fr/`. */
export default byArea(import.meta.glob<object>('./fr/*.ts', { eager: true, import: 'default' }))
