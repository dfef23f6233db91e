import type { ColumnType, Generated } from 'kysely'

/** Column types of the tables, as queries see them. */

export type Id = Generated<string>
export type Time = ColumnType<Date, Date | string | undefined, Date | string>
export type TimeOrNull = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
/** Decimals are strings, so that they stay exact. */
export type Money = ColumnType<string, string | number | undefined, string | number>
export type MoneyOrNull = ColumnType<string | null, string | number | null | undefined, string | number | null>
export type Json = ColumnType<unknown, string | undefined, string>
export type Defaulted<T> = Generated<T>
export type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
