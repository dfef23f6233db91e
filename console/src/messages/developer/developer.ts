import { area } from '../area.ts'

export type { DeveloperMessages } from './shape.ts'

export const { useArea: useDeveloperMessages, withArea: withDeveloperMessages } = area({
  en: () => import('./en.ts'),
  fr: () => import('./fr.ts'),
  ar: () => import('./ar.ts'),
})
