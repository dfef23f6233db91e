/** A column of the file: its heading and the SQL of its cell. */
export interface CsvColumn {
  name: string
  sql: string
}

// As PostgreSQL's patterns write characters. Blanks, controls and what shows nothing: spreadsheets skip some of them,
// other programs others.
const INVISIBLE =
  String.raw`\u0001-\u0020\u007F-\u00A0\u00AD\u034F\u061C\u115F\u1160\u1680\u17B4\u17B5\u180B-\u180F\u2000-\u200F` +
  String.raw`\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U000E0000-\U000E0FFF`
// = + - @, also in their full and small widths.
const FORMULA = String.raw`=+@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B-`

/** Starts with a letter or digit, as nearly every cell does: cheaper to find out than what the pattern looks for. */
const startsPlainly = (text: string) =>
  [
    [48, 57], // digits
    [65, 126], // Latin letters
    [192, 767], // with accents
    [1568, 1791], // Arabic letters and digits
  ]
    .map(([first, last]) => `ascii(${text}) between ${first} and ${last}`)
    .join(' or ')

/**
 * Text that people typed: a spreadsheet would run `=HYPERLINK(…)` as a formula, so a cell whose first visible character
 * starts one gets an apostrophe, and so does one that starts with a TAB or CR. A plain number is none, even a negative
 * one.
 */
export const escapeFormula = (text: string) =>
  `case when ${startsPlainly(text)} then ${text}
    when ${text} ~ '^([${INVISIBLE}]*[${FORMULA}]|[\\t\\r])' and ${text} !~ '^-?[0-9]+([.][0-9]+)?$' then '''' || ${text}
    else nullif(${text}, '') end`

/**
 * One line as RFC 4180 has it, without its end. PostgreSQL writes a row value much like it: in parentheses, cells
 * quoted where needed, quotes doubled, and backslashes doubled too, which is undone here. One call a line takes two
 * thirds of the time that looking into each cell with a pattern does.
 */
export const csvLine = (columns: readonly CsvColumn[]) =>
  String.raw`replace(btrim(row(${columns.map(({ sql }) => sql).join(', ')})::text, '()'), '\\', '\')`

export const CSV_LINE_END = '\r\n'

/** Without it Excel takes UTF-8 for the code page of its country. */
export const BYTE_ORDER_MARK = '\uFEFF'

export const csvHeading = (columns: readonly CsvColumn[]) => columns.map(({ name }) => name).join(',') + CSV_LINE_END
