import type { Kind } from '../reading/texts.ts'
import { countryTexts, rememberedCountries } from './queries.ts'

export const countryKind: Kind<unknown> = {
  remembered: rememberedCountries,
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
