import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Permission } from '../../../../src/resources/permissions/catalogue.ts'
import { type AccountRow, consoleApi, operatorApi } from '../../api/console.ts'
import { describeError } from '../../components/describe-error.ts'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import type { useStepUp } from '../../components/StepUp.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { PermissionList } from '../apps/PermissionList.tsx'
import { Permissions } from '../people/Permissions.tsx'
import type { NewLink } from './LinkDialog.tsx'
import { useOperatorWords } from './words.ts'

const ROLES = ['operator', 'owner', 'staff', 'developer'] as const
type Role = (typeof ROLES)[number]

const FIELDS = ['email', 'name', 'role', 'store_id', 'app', 'role_id', 'permissions']

interface RoleFormProps {
  /** Gives this person another role; without one, somebody is invited. */
  account?: AccountRow | undefined
  run: ReturnType<typeof useStepUp>['run']
  onLink: (made: NewLink) => void
  onDone: () => unknown
  onClose: () => void
}

/** A role in the whole service, in a store or of an app. What takes no effect at once is a link to pass on. */
export const RoleForm = ({ account, run, onLink, onDone, onClose }: RoleFormProps) => {
  const messages = useMessages()
  const words = useOperatorWords()
  const { data } = useQuery({ queryKey: ['service', 'all-stores'], queryFn: () => consoleApi.stores('') })
  const [chosen, choose] = useState('')
  const { data: people } = useQuery({
    queryKey: [chosen, 'people'],
    queryFn: () => consoleApi.people(chosen),
    enabled: chosen !== '',
    staleTime: 0,
  })
  const roles = people?.roles ?? []
  const isNamed = (id: string) => roles.some((role) => role.id === id)
  const form = useForm(
    {
      email: account?.email ?? '',
      name: '',
      role: (account ? 'staff' : 'owner') as Role,
      store_id: '',
      app: '',
      role_id: '',
      permissions: [] as Permission[],
    },
    (_changes, { email, name, role, store_id, app, role_id, permissions }) => {
      const inStore = role === 'owner' || role === 'staff'
      const grant = {
        role,
        ...(inStore && store_id && { store_id }),
        ...(role === 'developer' && app && { app }),
        ...(role === 'staff' && (isNamed(role_id) ? { role_id } : { permissions })),
      }
      return run(async () => {
        const { link } = account
          ? await operatorApi.giveRole(account.id, grant)
          : await operatorApi.invite({ email, name, ...grant })
        if (link) onLink({ email, link })
      })
    },
  )
  const { role, store_id, role_id } = form.values
  const named = roles.find(({ id }) => id === role_id)
  return (
    <FormDialog
      title={account ? words.addRole : words.inviteTitle}
      act={account ? words.addRole : words.invite}
      form={form}
      shown={FIELDS}
      wide
      onDone={onDone}
      onClose={onClose}
    >
      {account ? (
        <p>
          <Ltr>{account.email}</Ltr>
        </p>
      ) : (
        <>
          <TextField label={words.email} type="email" dir="ltr" autoComplete="off" {...form.field('email')} />
          <TextField label={words.name} dir="auto" maxLength={100} autoComplete="off" {...form.field('name')} />
        </>
      )}
      <SelectField
        label={words.role}
        help={words.rolesHelp[role]}
        choices={ROLES.map((value) => ({ value, label: words.roles[value] }))}
        {...form.field('role')}
      />
      {(role === 'owner' || role === 'staff') && (
        <SelectField
          label={words.store}
          choices={[
            { value: '', label: words.chooseStore },
            ...(data?.stores ?? []).map(({ id, name, domain }) => ({ value: id, label: `${name} (${domain})` })),
          ]}
          {...form.field('store_id')}
          onChange={({ target }) => {
            form.set({ store_id: target.value, role_id: '' })
            choose(target.value)
          }}
        />
      )}
      {role === 'developer' && <TextField label={words.app} dir="ltr" autoComplete="off" {...form.field('app')} />}
      {role === 'staff' && store_id !== '' && roles.length > 0 && (
        <SelectField
          label={words.namedRole}
          choices={[
            { value: '', label: words.ownPermissions },
            ...roles.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...form.field('role_id')}
        />
      )}
      {role === 'staff' && named && <PermissionList names={named.permissions} />}
      {role === 'staff' && !named && (
        <Permissions
          chosen={form.values.permissions}
          errors={describeError(form.error ?? '', messages).fields.permissions}
          onChange={(permissions) => form.set({ permissions })}
        />
      )}
    </FormDialog>
  )
}
