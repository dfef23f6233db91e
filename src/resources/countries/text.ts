import type { Kind } from '../../core/reading/texts.ts'
import { constantCountries, countryTexts } from './queries.ts'

export const countryKind: Kind<unknown> = {
  constant: constantCountries,
  render: async (db, _store, ids) => {
    const texts = await countryTexts(db)
    return new Map(
      ids.flatMap((id) => {
        const text = texts.get(id)
        return text === undefined ? [] : [[id, text]]
      }),
    )
  },
}
