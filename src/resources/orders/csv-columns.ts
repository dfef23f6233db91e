import { COMMA, joinSql, OR, type Sql, sqlText } from '../../core/storage/sql.ts'

/** A CSV column: its header and the SQL of its cells. */
export interface CsvColumn {
  name: string
  sql: Sql
}

// Blanks, control and invisible characters, as PostgreSQL regular expressions write them. Spreadsheets differ in which
// of them they skip.
const INVISIBLE = sqlText`\\u0001-\\u0020\\u007F-\\u00A0\\u00AD\\u034F\\u061C\\u115F\\u1160\\u1680\\u17B4\\u17B5\\u180B-\\u180F\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u206F\\u2800\\u3000\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\U000E0000-\\U000E0FFF`
// = + - @, also as full-width and small variants.
const FORMULA = sqlText`=+@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B-`

const LETTERS_AND_DIGITS: readonly [first: number, last: number][] = [
  [48, 57], // digits
  [65, 126], // Latin letters
  [192, 767], // with accents
  [1568, 1791], // Arabic letters and digits
]

/** Fast path: nearly every cell starts with a letter or digit. */
const startsWithLetterOrDigit = (text: Sql) =>
  joinSql(
    LETTERS_AND_DIGITS.map(([first, last]) => sqlText`ascii(${text}) between ${first} and ${last}`),
    OR,
  )

/**
 * Prevents formula injection: a cell whose first visible character starts a formula, or that starts with TAB or CR,
 * gets an apostrophe. Plain numbers do not, not even negative ones.
 */
export const escapeFormula = (text: Sql) =>
  sqlText`case when ${startsWithLetterOrDigit(text)} then ${text}
    when ${text} ~ '^([${INVISIBLE}]*[${FORMULA}]|[\\t\\r])' and ${text} !~ '^-?[0-9]+([.][0-9]+)?$' then '''' || ${text}
    else nullif(${text}, '') end`

/**
 * One line as in RFC 4180, without its line ending. PostgreSQL's text form of a row is almost the same: cells are
 * quoted where needed and quotes are doubled. It also doubles backslashes, which is undone here. This is a third faster
 * than checking each cell with a pattern.
 */
export const csvLine = (columns: readonly CsvColumn[]) =>
  sqlText`replace(btrim(row(${joinSql(
    columns.map(({ sql }) => sql),
    COMMA,
  )})::text, '()'), '\\\\', '\\')`

export const CSV_LINE_END = '\r\n'

/** Without it, Excel reads UTF-8 as the local code page. */
export const BYTE_ORDER_MARK = '\uFEFF'

export const csvHeading = (columns: readonly CsvColumn[]) => columns.map(({ name }) => name).join(',') + CSV_LINE_END
