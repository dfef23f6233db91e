/// <reference types="vite/types/importMeta.d.ts" />
import ar from '../../console/src/messages/ar.ts'
import en from '../../console/src/messages/en.ts'
import fr from '../../console/src/messages/fr.ts'
import { useConfirmWords } from '../../console/src/pages/confirm/words.ts'
import { useCustomerWords } from '../../console/src/pages/customers/words.ts'
import { useDeveloperWords } from '../../console/src/pages/developer/words.ts'
import { useFileWords } from '../../console/src/pages/files/words.ts'
import { useLandingPageWords } from '../../console/src/pages/landing-pages/words.ts'
import { useServiceAppWords } from '../../console/src/pages/operator/app-words.ts'
import { useServicePlanWords } from '../../console/src/pages/operator/plan-words.ts'
import { useOperatorWords } from '../../console/src/pages/operator/words.ts'
import { useEditWords } from '../../console/src/pages/orders/edit-words.ts'
import { useOrderWords } from '../../console/src/pages/orders/words.ts'
import { useParcelWords } from '../../console/src/pages/parcels/words.ts'
import { usePeopleWords } from '../../console/src/pages/people/words.ts'
import { usePlanWords } from '../../console/src/pages/plan/words.ts'
import { useProductWords } from '../../console/src/pages/products/words.ts'
import { useSettingsWords } from '../../console/src/pages/settings/words.ts'
import { useWebhookWords } from '../../console/src/pages/webhooks/words.ts'

export type Language = 'en' | 'fr' | 'ar'

const SHARED = { en, fr, ar }

/** What the pages say, for tests that press their buttons. */
export const wordsOf = (language: Language) => ({
  ...SHARED[language],
  confirm: useConfirmWords.of(language),
  customers: useCustomerWords.of(language),
  developer: useDeveloperWords.of(language),
  edit: useEditWords.of(language),
  files: useFileWords.of(language),
  landingPages: useLandingPageWords.of(language),
  operator: useOperatorWords.of(language),
  orders: useOrderWords.of(language),
  parcels: useParcelWords.of(language),
  people: usePeopleWords.of(language),
  plans: usePlanWords.of(language),
  products: useProductWords.of(language),
  serviceApps: useServiceAppWords.of(language),
  servicePlans: useServicePlanWords.of(language),
  settings: useSettingsWords.of(language),
  webhooks: useWebhookWords.of(language),
})

export type ConsoleWords = ReturnType<typeof wordsOf>

type Files = Record<string, object>

/** Every file of words of the console, by its folder. */
const ALL: Record<Language, Files> = {
  en: import.meta.glob<object>('../../console/src/**/en.ts', { eager: true, import: 'default' }),
  fr: import.meta.glob<object>('../../console/src/**/fr.ts', { eager: true, import: 'default' }),
  ar: import.meta.glob<object>('../../console/src/**/ar.ts', { eager: true, import: 'default' }),
}

export const allWords = (language: Language): Files =>
  Object.fromEntries(
    Object.entries(ALL[language]).map(([file, words]) => [file.replace(/^.*src\/|\/\w+\.ts$/g, ''), words]),
  )
