import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Ellipsis, Link as LinkIcon, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Permission } from '../../../../src/permissions/catalogue.ts'
import { consoleApi, type Membership, type PersonInfo } from '../../api/console.ts'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { describeError, Problem } from '../../components/Problem.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from './PeoplePage.module.css'
import { Permissions } from './Permissions.tsx'

interface Invitation {
  email: string
  link: string
}

type Run = (act: () => Promise<unknown>) => Promise<void>

/** Invites somebody, or changes what a member may do. */
const PersonForm = ({
  person,
  run,
  onInvited,
  onDone,
  onClose,
}: {
  person?: PersonInfo | undefined
  run: Run
  onInvited: (invitation: Invitation) => void
  onDone: () => unknown
  onClose: () => void
}) => {
  const { people: words, controls } = useMessages()
  const { store } = useStore()
  const form = useForm(
    {
      email: person?.email ?? '',
      name: '',
      role: person?.role ?? ('staff' as PersonInfo['role']),
      permissions: (person?.permissions ?? []) as Permission[],
    },
    async (_changes, { email, name, role, permissions }) => {
      const membership: Membership = { role, ...(role === 'staff' && { permissions }) }
      await run(async () => {
        if (person) await consoleApi.changePerson(store.id, person.account_id, membership)
        else onInvited({ email, link: (await consoleApi.invite(store.id, { email, name, ...membership })).link })
      })
    },
  )
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
        help={words.rolesHelp[form.values.role]}
        choices={[
          { value: 'staff', label: words.roles.staff },
          { value: 'owner', label: words.roles.owner },
        ]}
        {...form.field('role')}
      />
      {form.values.role === 'staff' && (
        <Permissions
          chosen={form.values.permissions}
          errors={describeError(form.error ?? '').fields.permissions}
          onChange={(permissions) => form.set({ permissions })}
        />
      )}
    </FormDialog>
  )
}

const InvitationLink = ({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) => {
  const { people: words, controls } = useMessages()
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

const PeoplePage = () => {
  const { people: words, controls } = useMessages()
  const { store } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [opened, open] = useState<{ kind: 'invite' } | { kind: 'change' | 'remove'; person: PersonInfo }>()
  const [invitation, setInvitation] = useState<Invitation>()
  const isOwner = store.role !== 'staff'
  const { data, error } = useQuery({
    queryKey: [store.id, 'people'],
    queryFn: () => consoleApi.people(store.id),
    enabled: isOwner,
  })
  if (!isOwner)
    return (
      <Page title={words.title}>
        <Empty title={words.onlyOwners}>{words.onlyOwnersHelp}</Empty>
      </Page>
    )
  const close = () => open(undefined)
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'people'] })
  const newLink = ({ account_id, email }: PersonInfo) =>
    run(async () => setInvitation({ email, link: (await consoleApi.linkPerson(store.id, account_id)).link })).catch(
      (error) => toast(describeError(error).message, { bad: true }),
    )
  const edited = opened?.kind === 'change' ? opened.person : undefined
  return (
    <Page
      title={words.title}
      actions={
        <Button kind="primary" icon={<Plus />} onClick={() => open({ kind: 'invite' })}>
          {words.invite}
        </Button>
      }
    >
      <p className={styles.help}>{words.help}</p>
      <Surface>
        <Problem error={error ?? undefined} />
        <ul className={styles.people}>
          {data?.people.map((person) => (
            <li key={person.account_id}>
              <span className={styles.avatar} aria-hidden>
                {(person.name || person.email).slice(0, 1).toUpperCase()}
              </span>
              <div>
                <strong>
                  {person.name ? <bdi>{person.name}</bdi> : <Ltr>{person.email}</Ltr>}{' '}
                  {person.is_you && <Badge tone="accent">{words.you}</Badge>}{' '}
                  {!person.has_joined && <Badge tone="warn">{words.invited}</Badge>}
                </strong>
                {person.name && (
                  <small>
                    <Ltr>{person.email}</Ltr>
                  </small>
                )}
              </div>
              <span className={styles.role}>
                {words.roles[person.role]}
                <small>
                  {person.role === 'owner' ? words.everything : words.permissionCount(person.permissions.length)}
                </small>
              </span>
              <Menu
                trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={`${controls.more}: ${person.email}`} />}
              >
                <MenuItem icon={<Pencil />} onSelect={() => open({ kind: 'change', person })}>
                  {words.change}
                </MenuItem>
                {!person.has_joined && (
                  <MenuItem icon={<LinkIcon />} onSelect={() => newLink(person)}>
                    {words.newLink}
                  </MenuItem>
                )}
                <MenuItem icon={<Trash2 />} danger onSelect={() => open({ kind: 'remove', person })}>
                  {words.remove}
                </MenuItem>
              </Menu>
            </li>
          ))}
        </ul>
        {data?.people.length === 0 && <Empty title={words.empty}>{words.emptyHelp}</Empty>}
      </Surface>
      {(opened?.kind === 'invite' || edited) && (
        <PersonForm
          person={edited}
          run={run}
          onInvited={setInvitation}
          onDone={async () => {
            if (edited) toast(words.changed)
            await renew()
          }}
          onClose={close}
        />
      )}
      {opened?.kind === 'remove' && (
        <Confirm
          title={words.removeAsk(opened.person.email)}
          act={words.remove}
          danger
          onClose={close}
          onConfirm={async () => {
            await run(() => consoleApi.removePerson(store.id, opened.person.account_id))
            toast(words.removed)
            await renew()
          }}
        >
          {words.removeHelp}
        </Confirm>
      )}
      {invitation && !opened && <InvitationLink invitation={invitation} onClose={() => setInvitation(undefined)} />}
      {dialog}
    </Page>
  )
}

export default PeoplePage
