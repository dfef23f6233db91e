import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Redirect } from 'wouter'
import { ConsoleError, consoleApi, type LinkInfo } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Field.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { ME, useMe } from '../../session.tsx'
import { Entrance, Hint } from './Entrance.tsx'

/** The code leaves the address at once: it must not stay in the history. */
const takeCode = () => {
  const code = location.hash.slice(1)
  if (code) history.replaceState(history.state, '', location.pathname)
  return code
}

interface LinkProps {
  code: string
  link: LinkInfo
  onRedeemed: () => Promise<unknown>
}

/** What an invited person gets, and for whom the link is. */
const Offer = ({ link }: { link: LinkInfo }) => {
  const { account: words } = useMessages()
  return link.role && <p>{words.invitedAs[link.role](link.place)}</p>
}

/** Somebody who is signed in accepts an invitation with the account they have. */
const Join = ({ code, link, email, onRedeemed }: LinkProps & { email: string }) => {
  const { account: words } = useMessages()
  const queries = useQueryClient()
  const form = useForm({}, () => consoleApi.joinWithLink(code))
  const join = async () => {
    if (await form.submit()) await onRedeemed()
  }
  const isMember = form.error instanceof ConsoleError && form.error.code === 'forbidden'
  return (
    <Entrance title={words.welcome}>
      <Hint>
        <Offer link={link} />
        {words.signedInAs} <bdi dir="ltr">{email}</bdi>
      </Hint>
      <Problem error={isMember ? new Error(words.haveAccess) : form.error} />
      <Button kind="primary" busy={form.busy} onClick={join}>
        {words.join}
      </Button>
      <Button
        onClick={async () => {
          await consoleApi.signOut().catch(() => {})
          queries.setQueryData(ME, null)
        }}
      >
        {words.otherAccount}
      </Button>
    </Entrance>
  )
}

/** A password for the first operator, for a lost one, or for an account to join with: an existing one or a new one. */
const PasswordForm = ({ code, link, isDemo, onRedeemed }: LinkProps & { isDemo: boolean }) => {
  const { account: words } = useMessages()
  const isFirst = link.kind === 'first'
  const isInvited = link.kind === 'invite'
  const form = useForm(
    { email: isInvited ? link.email : '', name: '', password: '' },
    (_changes, { email, name, password }) =>
      consoleApi.redeemLink({ code, password, ...(name && { name }), ...(link.kind !== 'reset' && { email }) }),
  )
  const submit = async () => {
    if (await form.submit()) await onRedeemed()
  }
  const wrong = form.error instanceof ConsoleError && form.error.code === 'sign_in_failed'
  return (
    <Entrance title={isFirst ? words.welcomeFirst : words.welcome}>
      <Hint>
        <Offer link={link} />
        {isFirst && words.welcomeFirstHelp}
        {isInvited && words.invitedHelp}
        {link.kind === 'reset' && words.welcomeHelp(link.email)}
      </Hint>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Problem error={wrong ? new Error(words.emailTaken) : form.error} shown={['email', 'name', 'password']} />
        {link.kind !== 'reset' && (
          <TextField
            label={words.email}
            type="email"
            autoComplete="username"
            dir="ltr"
            required
            {...form.field('email')}
          />
        )}
        {link.kind !== 'reset' && <TextField label={words.name} autoComplete="name" {...form.field('name')} />}
        <TextField
          label={words.password}
          type="password"
          autoComplete="new-password"
          dir="ltr"
          help={words.passwordHelp}
          required
          {...form.field('password')}
        />
        <Button kind="primary" type="submit" busy={form.busy}>
          {isDemo ? words.openDemo : words.start}
        </Button>
      </form>
    </Entrance>
  )
}

/** Where a one-time link leads: a password or a click, and then straight into the shop. */
export const WelcomePage = () => {
  const { account: words } = useMessages()
  const [code] = useState(takeCode)
  const queries = useQueryClient()
  const { data: me } = useMe()
  const [isRedeemed, setRedeemed] = useState(false)
  const { data: state } = useQuery({ queryKey: ['state'], queryFn: consoleApi.state })
  const { data, isError } = useQuery({
    queryKey: ['link'],
    queryFn: () => consoleApi.checkLink(code),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const link = data?.link
  const onRedeemed = async () => {
    setRedeemed(true)
    await queries.invalidateQueries({ queryKey: ME })
  }
  const demo = link?.kind === 'first' ? state?.demo_store : undefined
  const store = link?.store_id ?? demo
  if (isRedeemed && me) return <Redirect to={store ? `/s/${store}` : '/'} replace />
  if (isError)
    return (
      <Entrance title={words.badLink}>
        <Hint>{words.badLinkHelp}</Hint>
      </Entrance>
    )
  if (!link) return null
  const given = { code, link, onRedeemed }
  if (link.kind === 'invite' && me && !isRedeemed) return <Join {...given} email={me.account.email} />
  return <PasswordForm {...given} isDemo={Boolean(demo)} />
}
