import { CATALOGUE, PERMISSIONS } from '../../../../src/resources/permissions/catalogue.ts'
import type { Messages } from '../../messages/shape.ts'
import type { PeopleWords } from '../people/words.ts'
import type { AppWords } from './words.ts'

type Subject = keyof typeof CATALOGUE
export type Risk = keyof AppWords['risk']

export const SUBJECTS = Object.keys(CATALOGUE) as Subject[]

/** Why a permission should be granted with care. */
export const riskOf = (permission: string): Risk | undefined => {
  const [subject, action] = permission.split(':')
  if (action === 'delete') return 'delete'
  if (subject === 'customer' || permission === 'order:view' || permission === 'order:export') return 'personal'
  if (permission === 'order:update') return 'refund'
  if (subject === 'payment_method' && action === 'update') return 'money'
  if (permission === 'plan:switch' || permission === 'invoice:pay') return 'money'
  return permission === 'app:install' || permission === 'app:uninstall' ? 'apps' : undefined
}

export interface Group {
  subject: Subject
  /** In the order of the catalogue. */
  permissions: string[]
}

/** Permissions by what they are about. */
export const groupPermissions = (names: readonly string[]): Group[] =>
  SUBJECTS.map((subject) => ({
    subject,
    permissions: PERMISSIONS.filter((name) => names.includes(name) && name.startsWith(`${subject}:`)),
  })).filter(({ permissions }) => permissions.length > 0)

/** What somebody may do, in a word: «Change». */
export const actionWord = ({ actions }: PeopleWords, permission: string) =>
  actions[permission.split(':')[1] as keyof typeof actions]

export const subjectWord = ({ subjects }: PeopleWords, subject: Subject) => subjects[subject]

/** «Orders: See, Change». */
export const permissionsInWords = (
  controls: Messages['controls'],
  people: PeopleWords,
  { subject, permissions }: Group,
) => controls.labelled(subjectWord(people, subject), permissions.map((name) => actionWord(people, name)).join(', '))
