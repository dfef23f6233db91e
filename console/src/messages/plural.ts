import { numberFormat, pluralRules } from './formats.ts'

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** Chooses the form for a count and puts the count in place of `#`. */
export const plural = (locale: string, count: number, forms: Forms) => {
  const form = forms[pluralRules(locale).select(count)] ?? forms.other
  return form.replace('#', numberFormat(locale).format(count))
}
