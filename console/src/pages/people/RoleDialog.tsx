import { PERMISSIONS, type Permission } from '../../../../src/resources/permissions/catalogue.ts'
import { consoleApi, type StaffRoleInfo } from '../../api/console.ts'
import { useStore } from '../../api/store.tsx'
import { describeError } from '../../components/describe-error.ts'
import { TextField, Theirs } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { groupPermissions, permissionsInWords } from '../apps/permissions.ts'
import { Permissions } from './Permissions.tsx'
import { useRoleWords } from './role-words.ts'
import { usePeopleWords } from './words.ts'

/** As one value, so that the form can tell whether they have changed. */
const joined = (permissions: readonly string[]) => PERMISSIONS.filter((name) => permissions.includes(name)).join(' ')
const separate = (permissions: string) => permissions.split(' ').filter((name) => name !== '') as Permission[]

const valuesOf = ({ name, permissions }: StaffRoleInfo) => ({ name, permissions: joined(permissions) })

interface RoleDialogProps {
  role?: StaffRoleInfo | undefined
  run: (act: () => Promise<unknown>) => Promise<void>
  renew: () => Promise<unknown>
  onClose: () => void
}

/** A new role, or a change of one. If somebody else has changed it meanwhile, both versions are shown. */
export const RoleDialog = ({ role, run, renew, onClose }: RoleDialogProps) => {
  const messages = useMessages()
  const { controls } = messages
  const words = useRoleWords()
  const people = usePeopleWords()
  const { store } = useStore()
  const toast = useToast()
  const read = async () => {
    const { roles } = await consoleApi.people(store.id)
    return roles.find(({ id }) => id === role?.id) as StaffRoleInfo
  }
  const form = useForm(
    role ? valuesOf(role) : { name: '', permissions: '' },
    (_changes, { name, permissions }, newest: StaffRoleInfo | undefined) =>
      run(async () => {
        const given = { name, permissions: separate(permissions) }
        if (role) await consoleApi.changeRole(store.id, role.id, { ...given, version: (newest ?? role).version })
        else await consoleApi.createRole(store.id, given)
      }),
    role && { read, valuesOf },
  )
  const { theirs } = form.field('permissions')
  const inWords = (permissions: string) =>
    groupPermissions(separate(permissions))
      .map((group) => permissionsInWords(controls, people, group))
      .join(' · ')
  return (
    <FormDialog
      title={role ? words.edit : words.create}
      act={role ? controls.save : words.create}
      form={form}
      shown={['name', 'permissions']}
      wide
      onDone={async () => {
        toast(role ? words.changed : words.created)
        await renew()
      }}
      onClose={onClose}
    >
      {role && role.people > 0 && <p>{words.changes(role.people)}</p>}
      <TextField
        label={words.name}
        help={words.nameHelp}
        dir="auto"
        maxLength={60}
        autoComplete="off"
        {...form.field('name')}
      />
      <Permissions
        chosen={separate(form.values.permissions)}
        errors={describeError(form.error ?? '', messages).fields.permissions}
        onChange={(permissions) => form.set({ permissions: joined(permissions) })}
      />
      {theirs && <Theirs value={inWords(theirs.value)} onTake={theirs.onTake} />}
    </FormDialog>
  )
}
