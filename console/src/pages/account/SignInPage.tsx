import { useQuery, useQueryClient } from '@tanstack/react-query'
import { consoleApi } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Field.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { ME, tellTabs } from '../../session.tsx'
import { Entrance, Hint } from './Entrance.tsx'

export const SignInPage = () => {
  const { account: words } = useMessages()
  const queries = useQueryClient()
  const { data: state } = useQuery({ queryKey: ['state'], queryFn: consoleApi.state })
  const form = useForm({ email: '', password: '' }, (_changes, values) => consoleApi.signIn(values))
  const submit = async () => {
    if (!(await form.submit())) return
    tellTabs('signed-in')
    await queries.invalidateQueries({ queryKey: ME })
  }
  if (state?.needs_operator)
    return (
      <Entrance title={words.noOperator}>
        <Hint>
          {words.noOperatorHelp}
          <code dir="ltr">npx storefront-apps console link</code>
        </Hint>
      </Entrance>
    )
  if (state && !state.is_safe)
    return (
      <Entrance title={words.unsafe}>
        <Hint>{words.unsafeHelp}</Hint>
      </Entrance>
    )
  return (
    <Entrance title={words.signInTitle}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Problem error={form.error} shown={['email', 'password']} />
        <TextField
          label={words.email}
          type="email"
          autoComplete="username"
          dir="ltr"
          required
          {...form.field('email')}
        />
        <TextField
          label={words.password}
          type="password"
          autoComplete="current-password"
          dir="ltr"
          required
          {...form.field('password')}
        />
        <Button kind="primary" type="submit" busy={form.busy}>
          {words.signIn}
        </Button>
      </form>
      <Hint>{words.lostPassword}</Hint>
    </Entrance>
  )
}
