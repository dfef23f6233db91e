import { plural } from '../../../messages/plural.ts'

const en = {
  title: 'Roles',
  help: 'Permissions under a name, for everybody who does the same work. A change counts at once for all who have the role.',
  empty: 'There are no roles yet',
  emptyHelp: 'Name what packers or agents may do, and give it to everybody who does that work.',
  create: 'New role',
  edit: 'Edit role',
  name: 'Name of the role',
  nameHelp: 'What you call the work, such as Packer.',
  own: 'Own permissions',
  ownHelp: 'May do what you choose below.',
  namedHelp: 'May do what the role says, now and after it changes:',
  people: (count: number) => plural('en', count, { zero: 'Nobody', one: '# person', other: '# people' }),
  changes: (count: number) =>
    plural('en', count, {
      one: '# person has this role. What you change counts for them at once.',
      other: '# people have this role. What you change counts for them at once.',
    }),
  created: 'Role created',
  changed: 'Role changed',
  deleteRole: 'Delete role',
  deleteAsk: (name: string) => `Delete the role ${name}?`,
  deleteNobody: 'Nobody has it.',
  deleteHelp: (count: number) => plural('en', count, { one: '# person has it.', other: '# people have it.' }),
  keep: 'They keep the same permissions, without a role',
  get: (name: string) => `They get the role ${name}`,
  afterwards: 'What happens to them',
  deleted: 'Role deleted',
  explain: 'What this role may do',
}

export type RoleWords = typeof en
export default en
