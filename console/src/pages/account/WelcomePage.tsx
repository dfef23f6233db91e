import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Redirect } from 'wouter'
import { consoleApi } from '../../api/console.ts'
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

/** Where a one-time link leads: a password, and then straight into the shop. */
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
  const form = useForm({ email: '', name: '', password: '' }, (_changes, { email, name, password }) =>
    consoleApi.redeemLink({ code, password, ...(name && { name }), ...(link?.kind === 'first' && { email }) }),
  )
  const submit = async () => {
    if (!(await form.submit())) return
    setRedeemed(true)
    await queries.invalidateQueries({ queryKey: ME })
  }
  if (isRedeemed && me) return <Redirect to={state?.demo_store ? `/s/${state.demo_store}` : '/'} replace />
  if (isError)
    return (
      <Entrance title={words.badLink}>
        <Hint>{words.badLinkHelp}</Hint>
      </Entrance>
    )
  if (!link) return null
  const isFirst = link.kind === 'first'
  return (
    <Entrance title={isFirst ? words.welcomeFirst : words.welcome}>
      <Hint>{isFirst ? words.welcomeFirstHelp : words.welcomeHelp(link.email)}</Hint>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Problem error={form.error} shown={['email', 'name', 'password']} />
        {isFirst && (
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
          {state?.demo_store ? words.openDemo : words.start}
        </Button>
      </form>
    </Entrance>
  )
}
