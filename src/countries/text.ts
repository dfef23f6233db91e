import type { Kind } from '../reading/texts.ts'
import { countryTexts } from './queries.ts'

export const countryKind: Kind<unknown> = { render: (db) => countryTexts(db) }
