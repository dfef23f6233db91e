import type { FieldErrors } from '../../errors.ts'

interface Line {
  errors: FieldErrors
}

/** The errors of the refused lines of a reply, by place. */
export const errorsOfLines = (json: string): string =>
  JSON.stringify(
    Object.fromEntries(
      (JSON.parse(json) as Line[]).flatMap(({ errors }, place) =>
        Object.keys(errors).length > 0 ? [[place, errors]] : [],
      ),
    ),
  )

/** The lines as they are now, with the errors that the first reply had. */
export const withErrorsOfLines = (json: string, kept: string): string => {
  const errors: Record<number, FieldErrors> = JSON.parse(kept)
  return JSON.stringify((JSON.parse(json) as Line[]).map((line, place) => ({ ...line, errors: errors[place] ?? {} })))
}
