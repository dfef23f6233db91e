/** The name of a country in the reader's language. */
export const countryName = (locale: string, country: { code: string; name: string }) =>
  new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' }).of(country.code) ?? country.name

/** Languages that shops here are written in; others may be set through the API. */
const LANGUAGES = ['ar', 'ar-DZ', 'ar-MA', 'ar-TN', 'de', 'en', 'es', 'fr', 'fr-TN', 'it', 'nl', 'pt', 'tr']

/** Languages as choices, with the one that is set now. */
export const languageChoices = (locale: string, current: string) => {
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  const nameOf = (tag: string) => {
    try {
      return names.of(tag) ?? tag
    } catch {
      return tag
    }
  }
  return [...new Set([...LANGUAGES, ...(current ? [current] : [])])]
    .map((tag) => ({ value: tag, label: nameOf(tag) }))
    .sort((a, b) => a.label.localeCompare(b.label, locale))
}
