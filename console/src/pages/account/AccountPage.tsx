import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { consoleApi } from '../../api/console.ts'
import { base } from '../../base-url.ts'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { LinkButton } from '../../components/LinkButton.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { SaveBar } from '../../components/SaveBar.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { When } from '../../components/When.tsx'
import { isLanguage, LANGUAGES, useMessages } from '../../messages/messages.ts'
import { useSession, useUpdateMe } from '../../session.tsx'
import styles from './AccountPage.module.css'
import { describeAgent } from './describe-agent.ts'
import { RecoveryCodes, SecondFactor } from './SecondFactor.tsx'
import { useSecondFactorWords } from './second-factor-words.ts'

const stop = (submit: () => unknown) => (event: FormEvent) => {
  event.preventDefault()
  submit()
}

const Profile = () => {
  const { account: words, shell } = useMessages()
  const { account } = useSession()
  const update = useUpdateMe()
  const toast = useToast()
  const id = useId()
  const { name, language, theme } = account
  const form = useForm({ name, language: language ?? '', theme: theme ?? '' }, (changes) =>
    update({
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.language !== undefined && { language: isLanguage(changes.language) ? changes.language : null }),
      ...(changes.theme !== undefined && {
        theme: changes.theme === 'light' || changes.theme === 'dark' ? changes.theme : null,
      }),
    }),
  )
  return (
    <>
      <Surface padded>
        <h2>{words.profile}</h2>
        <form
          id={id}
          className={styles.form}
          noValidate
          onSubmit={stop(async () => (await form.submit()) && toast(words.saved))}
        >
          <TextField label={words.name} autoComplete="name" maxLength={100} {...form.field('name')} />
          <TextField label={words.email} value={account.email} dir="ltr" readOnly />
          <SelectField
            label={shell.language}
            choices={[
              { value: '', label: words.browserDefault },
              ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
            ]}
            {...form.field('language')}
          />
          <SelectField
            label={shell.theme}
            choices={[
              { value: '', label: shell.system },
              { value: 'light', label: shell.light },
              { value: 'dark', label: shell.dark },
            ]}
            {...form.field('theme')}
          />
        </form>
      </Surface>
      {form.isDirty && (
        <SaveBar
          form={id}
          busy={form.busy}
          error={form.error}
          shown={['name', 'language', 'theme']}
          onDiscard={() => form.reset()}
        />
      )}
    </>
  )
}

const Password = () => {
  const { account: words } = useMessages()
  const toast = useToast()
  const empty = { current_password: '', password: '' }
  const form = useForm(empty, (_changes, values) => consoleApi.changePassword(values))
  const submit = async () => {
    if (!(await form.submit())) return
    form.reset(empty)
    toast(words.passwordChanged)
  }
  return (
    <Surface padded>
      <h2>{words.changePassword}</h2>
      <form className={styles.form} noValidate onSubmit={stop(submit)}>
        <Problem error={form.error} shown={['current_password', 'password']} />
        <TextField
          label={words.currentPassword}
          type="password"
          autoComplete="current-password"
          dir="ltr"
          {...form.field('current_password')}
        />
        <TextField
          label={words.newPassword}
          type="password"
          autoComplete="new-password"
          dir="ltr"
          help={words.passwordHelp}
          {...form.field('password')}
        />
        <div>
          <Button type="submit" busy={form.busy}>
            {words.changePassword}
          </Button>
        </div>
      </form>
    </Surface>
  )
}

const Factors = () => {
  const words = useSecondFactorWords()
  const [codes, setCodes] = useState<string[]>()
  return (
    <Surface padded>
      <h2>{words.title}</h2>
      <p>{words.help}</p>
      <SecondFactor onCodes={setCodes} />
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </Surface>
  )
}

const Sessions = () => {
  const { account: words } = useMessages()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [ending, setEnding] = useState<{ id: string } | 'others'>()
  const { data, error } = useQuery({ queryKey: ['sessions'], queryFn: consoleApi.sessions })
  const sessions = data?.sessions ?? []
  const end = async (which: { id: string } | 'others') => {
    await (which === 'others' ? run(consoleApi.endOtherSessions) : consoleApi.endSession(which.id))
    await queries.invalidateQueries({ queryKey: ['sessions'] })
    toast(words.ended)
  }
  return (
    <Surface padded>
      <h2>{words.sessions}</h2>
      <Problem error={error ?? undefined} />
      {!data && !error && <Skeleton lines={2} />}
      <ul className={styles.sessions}>
        {sessions.map(({ id, agent, used_at, is_current }) => (
          <li key={id}>
            <div>
              <span className={styles.agent} title={agent}>
                <bdi dir="ltr">{describeAgent(agent)}</bdi>
              </span>
              <span className={styles.used}>
                {words.lastUsed} <When at={used_at} />
              </span>
            </div>
            {is_current ? (
              <Badge tone="good">{words.thisSession}</Badge>
            ) : (
              <Button onClick={() => setEnding({ id })}>{words.end}</Button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <div>
          <Button kind="danger" onClick={() => setEnding('others')}>
            {words.endOthers}
          </Button>
        </div>
      )}
      {ending && (
        <Confirm
          title={ending === 'others' ? words.endOthersAsk : words.endAsk}
          act={ending === 'others' ? words.endOthers : words.end}
          danger
          onClose={() => setEnding(undefined)}
          onConfirm={() => end(ending)}
        >
          {words.endHelp}
        </Confirm>
      )}
      {dialog}
    </Surface>
  )
}

const AccountPage = () => {
  const { account: words } = useMessages()
  return (
    <Page title={words.title}>
      <div className={styles.page}>
        <Profile />
        <Password />
        <Factors />
        <Sessions />
        <Surface padded>
          <h2>{words.assistants}</h2>
          <p>{words.assistantsHelp}</p>
          <div>
            <LinkButton href={`${base}/me/assistants`}>{words.assistantsOpen}</LinkButton>
          </div>
        </Surface>
      </div>
    </Page>
  )
}

export default AccountPage
