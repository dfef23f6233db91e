import { Ellipsis, ListChecks, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { consoleApi, type StaffRoleInfo } from '../../api/console.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Surface } from '../../components/Page.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useMessages } from '../../messages/messages.ts'
import { groupPermissions, permissionsInWords } from '../apps/permissions.ts'
import styles from './PeoplePage.module.css'
import { RoleDialog } from './RoleDialog.tsx'
import { RoleInWords } from './RoleInWords.tsx'
import { useRoleWords } from './role-words.ts'
import { usePeopleWords } from './words.ts'

interface RolesProps {
  roles: readonly StaffRoleInfo[]
  run: (act: () => Promise<unknown>) => Promise<void>
  /** Reads people and roles again. */
  renew: () => Promise<unknown>
}

/** Says how many people have the role, and asks what becomes of them. */
const Deletion = ({ role, roles, run, renew, onClose }: RolesProps & { role: StaffRoleInfo; onClose: () => void }) => {
  const words = useRoleWords()
  const { store } = useStore()
  const toast = useToast()
  const [replacement, replace] = useState('')
  return (
    <Confirm
      title={words.deleteAsk(role.name)}
      act={words.deleteRole}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await run(() => consoleApi.deleteRole(store.id, role.id, replacement))
        toast(words.deleted)
        await renew()
      }}
      more={
        role.people > 0 && (
          <SelectField
            label={words.afterwards}
            choices={[
              { value: '', label: words.keep },
              ...roles
                .filter(({ id }) => id !== role.id)
                .map(({ id, name }) => ({ value: id, label: words.get(name) })),
            ]}
            value={replacement}
            onChange={({ target }) => replace(target.value)}
          />
        )
      }
    >
      {role.people > 0 ? words.deleteHelp(role.people) : words.deleteNobody}
    </Confirm>
  )
}

/** The named roles of the store. */
export const Roles = ({ roles, run, renew }: RolesProps) => {
  const { controls } = useMessages()
  const people = usePeopleWords()
  const words = useRoleWords()
  const [opened, open] = useState<
    { kind: 'create'; role?: undefined } | { kind: 'explain' | 'edit' | 'delete'; role: StaffRoleInfo }
  >()
  const close = () => open(undefined)
  return (
    <Surface>
      <header className={styles.heading}>
        <div>
          <h2>{words.title}</h2>
          <p>{words.help}</p>
        </div>
        <Button icon={<Plus />} onClick={() => open({ kind: 'create' })}>
          {words.create}
        </Button>
      </header>
      <ul className={styles.people}>
        {roles.map((role) => (
          <li key={role.id}>
            <div>
              <strong>
                <bdi>{role.name}</bdi>
              </strong>
              <small>
                {groupPermissions(role.permissions)
                  .map((group) => permissionsInWords(controls, people, group))
                  .join(' · ')}
              </small>
            </div>
            <span className={styles.count}>{words.people(role.people)}</span>
            <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={`${controls.more}: ${role.name}`} />}>
              <MenuItem icon={<ListChecks />} onSelect={() => open({ kind: 'explain', role })}>
                {words.explain}
              </MenuItem>
              <MenuItem icon={<Pencil />} onSelect={() => open({ kind: 'edit', role })}>
                {words.edit}
              </MenuItem>
              <MenuItem icon={<Trash2 />} danger onSelect={() => open({ kind: 'delete', role })}>
                {words.deleteRole}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
      {roles.length === 0 && <Empty title={words.empty}>{words.emptyHelp}</Empty>}
      {opened?.kind === 'explain' && (
        <RoleInWords person={{ ...opened.role, email: '', role: 'staff' }} onClose={close} />
      )}
      {(opened?.kind === 'create' || opened?.kind === 'edit') && (
        <RoleDialog role={opened.role} run={run} renew={renew} onClose={close} />
      )}
      {opened?.kind === 'delete' && (
        <Deletion role={opened.role} roles={roles} run={run} renew={renew} onClose={close} />
      )}
    </Surface>
  )
}
