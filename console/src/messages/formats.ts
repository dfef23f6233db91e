/** Making a format takes longer than a hundred uses of it, and a list needs hundreds: each is made once. */
const remembered = <Options, Format>(make: (locale: string, options?: Options) => Format) => {
  const made = new Map<string, Format>()
  return (locale: string, options?: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`
    const format = made.get(key) ?? make(locale, options)
    made.set(key, format)
    return format
  }
}

export const numberFormat = remembered(
  (locale, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
)
export const dateFormat = remembered(
  (locale, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
)
export const pluralRules = remembered((locale) => new Intl.PluralRules(locale))
export const listFormat = remembered((locale) => new Intl.ListFormat(locale, { type: 'disjunction' }))
