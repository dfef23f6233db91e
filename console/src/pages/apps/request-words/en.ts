import { plural } from '../../../messages/plural.ts'

const en = {
  title: 'The app asks for more',
  because: (person: string) =>
    `Calls of the app were refused because it lacks these permissions. ${person}, who develops it, asks for them.`,
  grant: 'Grant',
  decline: 'Decline',
  grantAsk: (app: string) => `What may ${app} do in addition?`,
  grantHelp: 'It may do at once what you switch on. What you leave off counts as declined.',
  declineAsk: (app: string) => `Decline what ${app} asks for?`,
  declineHelp: 'The app goes on with what it has. Its developers can ask again after a week.',
  granted: (count: number) => plural('en', count, { one: '# permission granted', other: '# permissions granted' }),
  declined: 'Declined',
}

export default en
