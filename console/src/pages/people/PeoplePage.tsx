import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Ellipsis, Link as LinkIcon, ListChecks, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Permission } from '../../../../src/resources/permissions/catalogue.ts'
import {
  consoleApi,
  type InvitationInfo,
  type Membership,
  type PersonInfo,
  type StaffRoleInfo,
} from '../../api/console.ts'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { PermissionList } from '../apps/PermissionList.tsx'
import styles from './PeoplePage.module.css'
import { Permissions } from './Permissions.tsx'
import { RoleInWords } from './RoleInWords.tsx'
import { Roles } from './Roles.tsx'
import { useRoleWords } from './role-words.ts'
import { usePeopleTitle } from './title.ts'
import { usePeopleWords } from './words.ts'

interface NewLink {
  email: string
  link: string
}

/** A member, or somebody who was invited. */
type Listed = ({ kind: 'member' } & PersonInfo) | ({ kind: 'invited' } & InvitationInfo)

const keyOf = (person: Listed) => (person.kind === 'member' ? person.account_id : person.id)

type Run = (act: () => Promise<unknown>) => Promise<void>

/** Invites somebody, or changes what a person may do. */
const PersonForm = ({
  person,
  roles,
  run,
  onInvited,
  onDone,
  onClose,
}: {
  person?: Listed | undefined
  roles: readonly StaffRoleInfo[]
  run: Run
  onInvited: (link: NewLink) => void
  onDone: () => unknown
  onClose: () => void
}) => {
  const messages = useMessages()
  const words = usePeopleWords()
  const { controls } = messages
  const roleWords = useRoleWords()
  const { store } = useStore()
  const form = useForm(
    {
      email: person?.email ?? '',
      name: '',
      // Of the store, or one of the two that every store has.
      role: person?.role_id ?? person?.role ?? 'staff',
      permissions: (person?.permissions ?? []) as Permission[],
    },
    async (_changes, { email, name, role, permissions }) => {
      const named = roles.find(({ id }) => id === role)
      const membership: Membership = named
        ? { role: 'staff', role_id: named.id }
        : { role: role === 'owner' ? 'owner' : 'staff', ...(role === 'staff' && { permissions }) }
      await run(async () => {
        if (person?.kind === 'member') await consoleApi.changePerson(store.id, person.account_id, membership)
        else if (person) await consoleApi.changeInvitation(store.id, person.id, membership)
        else onInvited({ email, link: (await consoleApi.invite(store.id, { email, name, ...membership })).link })
      })
    },
  )
  const named = roles.find(({ id }) => id === form.values.role)
  const help = named ? roleWords.namedHelp : form.values.role === 'owner' ? words.rolesHelp.owner : roleWords.ownHelp
  return (
    <FormDialog
      title={person ? words.change : words.inviteTitle}
      act={person ? controls.save : words.invite}
      form={form}
      shown={['email', 'name', 'role', 'permissions']}
      wide
      onDone={onDone}
      onClose={onClose}
    >
      {person ? (
        <p>
          <Ltr>{person.email}</Ltr>
        </p>
      ) : (
        <div className={styles.pair}>
          <TextField label={words.email} type="email" dir="ltr" autoComplete="off" {...form.field('email')} />
          <TextField label={words.name} dir="auto" maxLength={100} autoComplete="off" {...form.field('name')} />
        </div>
      )}
      <SelectField
        label={words.role}
        help={help}
        choices={[
          ...roles.map(({ id, name }) => ({ value: id, label: name })),
          { value: 'staff', label: roles.length > 0 ? roleWords.own : words.roles.staff },
          { value: 'owner', label: words.roles.owner },
        ]}
        {...form.field('role')}
      />
      {named && <PermissionList names={named.permissions} />}
      {form.values.role === 'staff' && (
        <Permissions
          chosen={form.values.permissions}
          errors={describeError(form.error ?? '', messages).fields.permissions}
          onChange={(permissions) => form.set({ permissions })}
        />
      )}
    </FormDialog>
  )
}

const InvitationLink = ({ invitation, onClose }: { invitation: NewLink; onClose: () => void }) => {
  const words = usePeopleWords()
  const { controls } = useMessages()
  const toast = useToast()
  return (
    <Dialog
      title={words.linkTitle}
      onClose={onClose}
      footer={
        <>
          <Button
            kind="primary"
            icon={<Copy />}
            onClick={() =>
              navigator.clipboard.writeText(invitation.link).then(
                () => toast(controls.copied),
                () => toast(controls.failed, { bad: true }),
              )
            }
          >
            {words.copy}
          </Button>
          <Button onClick={onClose}>{controls.close}</Button>
        </>
      }
    >
      <p>{words.linkHelp(invitation.email)}</p>
      <TextField
        label={words.link}
        dir="ltr"
        readOnly
        value={invitation.link}
        onFocus={({ target }) => target.select()}
      />
    </Dialog>
  )
}

const Row = ({
  person,
  named,
  onExplain,
  onChange,
  onLink,
  onRemove,
}: {
  person: Listed
  /** The role of the store that the person has. */
  named: string | undefined
  onExplain: () => void
  onChange: () => void
  onLink: (invitation: InvitationInfo) => void
  onRemove: () => void
}) => {
  const words = usePeopleWords()
  const { controls } = useMessages()
  return (
    <li>
      <span className={styles.avatar} aria-hidden>
        {(person.name || person.email).slice(0, 1).toUpperCase()}
      </span>
      <div>
        <strong>
          {person.name ? <bdi>{person.name}</bdi> : <Ltr>{person.email}</Ltr>}{' '}
          {person.kind === 'member' && person.is_you && <Badge tone="accent">{words.you}</Badge>}
          {person.kind === 'invited' && (
            <Badge tone="warn">{person.link_expires_at ? words.invited : words.expired}</Badge>
          )}
        </strong>
        {person.name && (
          <small>
            <Ltr>{person.email}</Ltr>
          </small>
        )}
      </div>
      <span className={styles.role}>
        {named ? <bdi>{named}</bdi> : words.roles[person.role]}
        <small>{person.role === 'owner' ? words.everything : words.permissionCount(person.permissions.length)}</small>
      </span>
      <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={`${controls.more}: ${person.email}`} />}>
        <MenuItem icon={<ListChecks />} onSelect={onExplain}>
          {words.explain}
        </MenuItem>
        <MenuItem icon={<Pencil />} onSelect={onChange}>
          {words.change}
        </MenuItem>
        {person.kind === 'invited' && (
          <MenuItem icon={<LinkIcon />} onSelect={() => onLink(person)}>
            {words.newLink}
          </MenuItem>
        )}
        <MenuItem icon={<Trash2 />} danger onSelect={onRemove}>
          {person.kind === 'member' ? words.remove : words.withdraw}
        </MenuItem>
      </Menu>
    </li>
  )
}

const PeoplePage = () => {
  const messages = useMessages()
  const words = usePeopleWords()
  const title = usePeopleTitle()
  const { store } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [opened, open] = useState<{ kind: 'invite' } | { kind: 'explain' | 'change' | 'remove'; person: Listed }>()
  const [invitation, setInvitation] = useState<NewLink>()
  const isOwner = store.role !== 'staff'
  const query = useQuery({
    queryKey: [store.id, 'people'],
    queryFn: () => consoleApi.people(store.id),
    enabled: isOwner,
  })
  const { data } = query
  const roles = data?.roles ?? []
  if (!isOwner)
    return (
      <Page title={title}>
        <Empty title={words.onlyOwners}>{words.onlyOwnersHelp}</Empty>
      </Page>
    )
  const close = () => open(undefined)
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'people'] })
  const newLink = ({ id, email }: InvitationInfo) =>
    run(async () => setInvitation({ email, link: (await consoleApi.linkInvitation(store.id, id)).link })).then(
      renew,
      (error) => toast(describeError(error, messages).message, { bad: true }),
    )
  const listed: Listed[] | undefined = data && [
    ...data.people.map((person) => ({ kind: 'member' as const, ...person })),
    ...data.invitations.map((person) => ({ kind: 'invited' as const, ...person })),
  ]
  const edited = opened?.kind === 'change' ? opened.person : undefined
  const removed = opened?.kind === 'remove' ? opened.person : undefined
  const isMember = removed?.kind === 'member'
  return (
    <Page
      title={title}
      actions={
        <Button kind="primary" icon={<Plus />} onClick={() => open({ kind: 'invite' })}>
          {words.invite}
        </Button>
      }
    >
      <p className={styles.help}>{words.help}</p>
      <Surface>
        <Loaded query={query}>
          <ul className={styles.people}>
            {listed?.map((person) => (
              <Row
                key={keyOf(person)}
                person={person}
                named={roles.find(({ id }) => id === person.role_id)?.name}
                onExplain={() => open({ kind: 'explain', person })}
                onChange={() => open({ kind: 'change', person })}
                onLink={newLink}
                onRemove={() => open({ kind: 'remove', person })}
              />
            ))}
          </ul>
          {listed?.length === 0 && <Empty title={words.empty}>{words.emptyHelp}</Empty>}
        </Loaded>
      </Surface>
      {data && <Roles roles={roles} run={run} renew={renew} />}
      {(opened?.kind === 'invite' || edited) && (
        <PersonForm
          person={edited}
          roles={roles}
          run={run}
          onInvited={setInvitation}
          onDone={async () => {
            if (edited) toast(words.changed)
            await renew()
          }}
          onClose={close}
        />
      )}
      {opened?.kind === 'explain' && <RoleInWords person={opened.person} onClose={close} />}
      {removed && (
        <Confirm
          title={isMember ? words.removeAsk(removed.email) : words.withdrawAsk(removed.email)}
          act={isMember ? words.remove : words.withdraw}
          danger
          onClose={close}
          onConfirm={async () => {
            await run(() =>
              isMember
                ? consoleApi.removePerson(store.id, keyOf(removed))
                : consoleApi.withdrawInvitation(store.id, keyOf(removed)),
            )
            toast(isMember ? words.removed : words.withdrawn)
            await renew()
          }}
        >
          {isMember ? words.removeHelp : words.withdrawHelp}
        </Confirm>
      )}
      {invitation && !opened && <InvitationLink invitation={invitation} onClose={() => setInvitation(undefined)} />}
      {dialog}
    </Page>
  )
}

export default PeoplePage
