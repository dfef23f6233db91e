import { area } from '../area.ts'

export type { OperatorMessages } from './shape.ts'

export const { useArea: useOperatorMessages, withArea: withOperatorMessages } = area({
  en: () => import('./en.ts'),
  fr: () => import('./fr.ts'),
  ar: () => import('./ar.ts'),
})
