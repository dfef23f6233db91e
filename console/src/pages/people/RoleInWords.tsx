import { Dialog } from '../../components/Dialog.tsx'
import { useWords } from '../../messages/messages.ts'
import { PermissionList } from '../apps/PermissionList.tsx'
import { groupPermissions, SUBJECTS, subjectWord } from '../apps/permissions.ts'
import { usePeopleWords } from './words.ts'

interface RoleInWordsProps {
  person: { name: string; email: string; role: 'owner' | 'staff'; permissions: readonly string[] }
  onClose: () => void
}

/** What a person may do in the store, and what not, for somebody who does not know the names of permissions. */
export const RoleInWords = ({ person, onClose }: RoleInWordsProps) => {
  const { locale } = useWords()
  const words = usePeopleWords()
  const { name, email, role, permissions } = person
  const touched = groupPermissions(permissions).map(({ subject }) => subject)
  const others = SUBJECTS.filter((subject) => !touched.includes(subject)).map((subject) => subjectWord(words, subject))
  return (
    <Dialog title={words.mayDo(name || email)} onClose={onClose}>
      {role === 'owner' ? (
        <p>{words.rolesHelp.owner}</p>
      ) : (
        <>
          <p>{words.mayHelp}</p>
          <PermissionList names={permissions} />
          {others.length > 0 && <p>{words.mayNotTouch(new Intl.ListFormat(locale).format(others))}</p>}
          <p>{words.mayNeverInvite}</p>
        </>
      )}
    </Dialog>
  )
}
