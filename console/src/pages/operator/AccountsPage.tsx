import { useQueryClient } from '@tanstack/react-query'
import {
  Ban,
  Ellipsis,
  KeyRound,
  Link as LinkIcon,
  LogOut,
  MonitorSmartphone,
  Plus,
  ShieldOff,
  ShieldPlus,
  Trash2,
  UserCheck,
} from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { type AccountRow, type OpenInvitation, operatorApi } from '../../api/console.ts'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/Menu.tsx'
import { Surface } from '../../components/Page.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { useOrderWords } from '../orders/words.ts'
import { LinkDialog, type NewLink } from './LinkDialog.tsx'
import { RoleForm } from './RoleForm.tsx'
import { SecondFactorRule } from './SecondFactorRule.tsx'
import styles from './ServiceList.module.css'
import { ServiceList, useServiceList } from './ServiceList.tsx'
import { SessionsDialog } from './SessionsDialog.tsx'
import { useAccountsTitle } from './titles.ts'
import { type OperatorWords, useOperatorWords } from './words.ts'

const PARAMETERS = ['state', 'role']

const loadAccounts = async (filters: Record<string, string>) => {
  const { accounts, invitations, pagination } = await operatorApi.accounts(filters)
  return { rows: accounts, invitations, total: pagination.total, next: pagination.next_cursor }
}

interface HeldRole {
  role: 'operator' | 'owner' | 'staff' | 'developer'
  place: string
  store_id?: string
  app?: string
}

const rolesOf = ({ is_operator, stores, apps }: AccountRow): HeldRole[] => [
  ...(is_operator ? [{ role: 'operator' as const, place: '' }] : []),
  ...stores.map(({ role, store, store_id }) => ({ role, place: store, store_id })),
  ...apps.map(({ app: place, client_id }) => ({ role: 'developer' as const, place, app: client_id })),
]

const nameOf = (words: OperatorWords, { role, place }: { role: HeldRole['role']; place: string }) =>
  place ? words.roleOf(words.roles[role], place) : words.roles[role]

type Opened =
  | { kind: 'invite' }
  | { kind: 'role' | 'disable' | 'signOut' | 'sessions' | 'clearFactor'; account: AccountRow }
  | { kind: 'removeRole'; account: AccountRow; held: HeldRole }
  | { kind: 'withdraw'; invitation: OpenInvitation }

interface RowProps {
  account: AccountRow
  onOpen: (opened: Opened) => void
  onLink: () => void
  onEnable: () => void
}

const AccountMenu = ({ account, onOpen, onLink, onEnable }: RowProps) => {
  const words = useOperatorWords()
  const { controls } = useMessages()
  return (
    <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={`${controls.more}: ${account.email}`} />}>
      <MenuItem icon={<ShieldPlus />} onSelect={() => onOpen({ kind: 'role', account })}>
        {words.addRole}
      </MenuItem>
      {!account.disabled_at && (
        <MenuItem icon={<KeyRound />} onSelect={onLink}>
          {words.passwordLink}
        </MenuItem>
      )}
      <MenuItem icon={<MonitorSmartphone />} onSelect={() => onOpen({ kind: 'sessions', account })}>
        {words.sessions}
      </MenuItem>
      <MenuItem icon={<LogOut />} onSelect={() => onOpen({ kind: 'signOut', account })}>
        {words.signOut}
      </MenuItem>
      {account.has_second_factor && (
        <MenuItem icon={<ShieldOff />} danger onSelect={() => onOpen({ kind: 'clearFactor', account })}>
          {words.clearFactor}
        </MenuItem>
      )}
      <MenuLine />
      {rolesOf(account).map((held) => (
        <MenuItem
          key={`${held.role} ${held.store_id ?? held.app ?? ''}`}
          icon={<Trash2 />}
          danger
          onSelect={() => onOpen({ kind: 'removeRole', account, held })}
        >
          {`${words.removeRole}: ${nameOf(words, held)}`}
        </MenuItem>
      ))}
      {account.disabled_at ? (
        <MenuItem icon={<UserCheck />} onSelect={onEnable}>
          {words.enable}
        </MenuItem>
      ) : (
        <MenuItem icon={<Ban />} danger onSelect={() => onOpen({ kind: 'disable', account })}>
          {words.disable}
        </MenuItem>
      )}
    </Menu>
  )
}

const Row = (props: RowProps) => {
  const { account } = props
  const words = useOperatorWords()
  const roles = rolesOf(account)
  return (
    <li>
      <div className={styles.main}>
        <span>
          <Link href={`/activity?account_id=${account.id}`}>
            {account.name ? <bdi>{account.name}</bdi> : <Ltr>{account.email}</Ltr>}
          </Link>{' '}
          {account.disabled_at && <Badge tone="bad">{words.disabled}</Badge>}{' '}
          {account.has_second_factor && <Badge tone="good">{words.factorBadge}</Badge>}
        </span>
        <small>
          <Ltr>{account.email}</Ltr>
        </small>
        <span className={styles.roles}>
          {roles.map((held) => (
            <Badge key={`${held.role} ${held.store_id ?? held.app ?? ''}`} tone={held.place ? 'plain' : 'accent'}>
              {nameOf(words, held)}
            </Badge>
          ))}
          {roles.length === 0 && <small>{words.noRole}</small>}
        </span>
      </div>
      <span className={styles.figures}>
        {words.sessionCount(account.sessions)}
        <small>
          {account.last_seen_at ? (
            <>
              {words.lastSeen} <When at={account.last_seen_at} />
            </>
          ) : (
            words.never
          )}
        </small>
      </span>
      <AccountMenu {...props} />
    </li>
  )
}

interface InvitationsProps {
  invitations: readonly OpenInvitation[]
  onLink: (invitation: OpenInvitation) => void
  onWithdraw: (invitation: OpenInvitation) => void
}

const Invitations = ({ invitations, onLink, onWithdraw }: InvitationsProps) => {
  const words = useOperatorWords()
  const { controls } = useMessages()
  if (invitations.length === 0) return null
  return (
    <Surface>
      <h2 className={styles.heading}>{words.invitations}</h2>
      <ul className={styles.rows}>
        {invitations.map((invitation) => (
          <li key={invitation.id}>
            <div className={styles.main}>
              <span>
                <Ltr>{invitation.email}</Ltr>{' '}
                <Badge tone="warn">{invitation.link_expires_at ? words.invited : words.expired}</Badge>
              </span>
              <small>{nameOf(words, invitation)}</small>
            </div>
            <Menu
              trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={`${controls.more}: ${invitation.email}`} />}
            >
              <MenuItem icon={<LinkIcon />} onSelect={() => onLink(invitation)}>
                {words.newLink}
              </MenuItem>
              <MenuItem icon={<Trash2 />} danger onSelect={() => onWithdraw(invitation)}>
                {words.withdraw}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
    </Surface>
  )
}

/** What the question of a destructive action says, and what it does. */
const questionOf = (words: OperatorWords, opened: Opened) => {
  if (opened.kind === 'disable') {
    const { id, email } = opened.account
    const texts = { title: words.disableAsk(email), act: words.disable, help: words.disableHelp }
    return { ...texts, done: words.disabledDone, run: () => operatorApi.disable(id) as Promise<unknown> }
  }
  if (opened.kind === 'signOut') {
    const { id, email } = opened.account
    const texts = { title: words.signOutAsk(email), act: words.signOut, help: words.signOutHelp }
    return { ...texts, done: words.signedOut, run: () => operatorApi.signOut(id) }
  }
  if (opened.kind === 'clearFactor') {
    const { id, email } = opened.account
    const texts = { title: words.clearAsk(email), act: words.clearFactor, help: words.clearHelp }
    return { ...texts, done: words.factorCleared, run: () => operatorApi.clearSecondFactor(id) }
  }
  if (opened.kind === 'removeRole') {
    const { account, held } = opened
    const { role, store_id, app } = held
    const grant = { role, ...(store_id && { store_id }), ...(app && { app }) }
    const title = words.removeRoleAsk(nameOf(words, held), account.email)
    const texts = { title, act: words.removeRole, help: words.removeRoleHelp }
    return { ...texts, done: words.roleRemoved, run: () => operatorApi.removeRole(account.id, grant) }
  }
  if (opened.kind === 'withdraw') {
    const { id, email } = opened.invitation
    const texts = { title: words.withdrawAsk(email), act: words.withdraw, help: words.withdrawHelp }
    return { ...texts, done: words.withdrawn, run: () => operatorApi.withdrawInvitation(id) }
  }
  return undefined
}

const AccountsPage = () => {
  const messages = useMessages()
  const orders = useOrderWords()
  const title = useAccountsTitle()
  const words = useOperatorWords()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [opened, open] = useState<Opened>()
  const [made, setMade] = useState<NewLink>()
  const query = useServiceList('accounts', PARAMETERS, loadAccounts)
  const close = () => open(undefined)
  const renew = () => queries.invalidateQueries({ queryKey: ['service', 'accounts'] })
  const attempt = (act: () => Promise<unknown>, done?: string, undo?: () => unknown) =>
    run(act).then(
      () => {
        if (done) toast(done, undo ? { action: { label: orders.undo, run: undo } } : {})
        return renew()
      },
      (error) => {
        const { message, fields } = describeError(error, messages)
        toast([message, ...Object.values(fields).flat()].join(' '), { bad: true })
      },
    )
  const link = (email: string, ask: () => Promise<{ link: string }>) =>
    attempt(async () => setMade({ email, link: (await ask()).link }))
  const question = opened && questionOf(words, opened)
  return (
    <ServiceList
      title={title}
      actions={
        <Button kind="primary" icon={<Plus />} onClick={() => open({ kind: 'invite' })}>
          {words.invite}
        </Button>
      }
      searchHint={words.findPerson}
      parameters={PARAMETERS}
      filters={[
        {
          id: 'state',
          label: words.state,
          kind: 'choice',
          choices: [
            { value: 'active', label: words.activeAccount },
            { value: 'disabled', label: words.disabled },
          ],
        },
        {
          id: 'role',
          label: words.role,
          kind: 'choice',
          choices: [{ value: 'operator', label: words.roles.operator }],
        },
      ]}
      query={query}
      empty={{ title: words.noAccounts }}
      row={(account) => (
        <Row
          key={account.id}
          account={account}
          onOpen={open}
          onLink={() => link(account.email, () => operatorApi.passwordLink(account.id))}
          onEnable={() => attempt(() => operatorApi.enable(account.id), words.enabled)}
        />
      )}
    >
      <Invitations
        invitations={query.data?.invitations ?? []}
        onLink={({ id, email }) => link(email, () => operatorApi.invitationLink(id))}
        onWithdraw={(invitation) => open({ kind: 'withdraw', invitation })}
      />
      {(opened?.kind === 'invite' || opened?.kind === 'role') && (
        <RoleForm
          account={opened.kind === 'role' ? opened.account : undefined}
          run={run}
          onLink={setMade}
          onDone={() => {
            if (opened.kind === 'role') toast(words.roleChanged)
            return renew()
          }}
          onClose={close}
        />
      )}
      <SecondFactorRule attempt={attempt} />
      {opened?.kind === 'sessions' && <SessionsDialog account={opened.account} attempt={attempt} onClose={close} />}
      {question && (
        <Confirm
          title={question.title}
          act={question.act}
          danger
          onClose={close}
          onConfirm={async () => {
            await run(question.run)
            toast(question.done)
            await renew()
          }}
        >
          {question.help}
        </Confirm>
      )}
      {made && !opened && <LinkDialog made={made} onClose={() => setMade(undefined)} />}
      {dialog}
    </ServiceList>
  )
}

export default AccountsPage
