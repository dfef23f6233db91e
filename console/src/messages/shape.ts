import type en from './en.ts'

export type Widen<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof T]: Widen<T[Key]> }

/** English is the type: a language that lacks a message does not compile. */
export type Messages = Widen<typeof en>
