import type { Messages } from './shape.ts'

/** The messages of a language from its files: those of `landing-pages.ts` are the area `landingPages`. A test finds missing ones. */
export const byArea = (files: Record<string, object>) =>
  Object.fromEntries(
    Object.entries(files).map(([file, messages]) => [
      file.replace(/^.*\/|\.ts$/g, '').replace(/-./g, ([, letter = '']) => letter.toUpperCase()),
      messages,
    ]),
  ) as unknown as Messages
