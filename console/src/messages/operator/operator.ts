import { area } from '../area.ts'
import type { Widen } from '../messages.ts'
import type en from './en.ts'

export type OperatorMessages = Widen<typeof en>

export const { useArea: useOperatorMessages, withArea: withOperatorMessages } = area({
  en: () => import('./en.ts'),
  fr: () => import('./fr.ts'),
  ar: () => import('./ar.ts'),
})
