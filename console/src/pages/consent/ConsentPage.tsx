import { useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type ConsentInfo, ConsoleError, consoleApi } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Problem } from '../../components/Problem.tsx'
import { lastStore } from '../../components/Shell.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { listFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppIcon } from '../apps/AppIcon.tsx'
import { appPath, appWords } from '../apps/app.ts'
import { PermissionList, PermissionSwitches } from '../apps/PermissionList.tsx'
import { SUBJECTS, subjectWord } from '../apps/permissions.ts'
import { useAppsTitle } from '../apps/title.ts'
import { type AppWords, useAppWords } from '../apps/words.ts'
import { usePeopleWords } from '../people/words.ts'
import styles from './Consent.module.css'

/** Permissions that change nothing. */
const LOOKS = /:(view|browse)$/

type StoreChoice = ConsentInfo['stores'][number]

const Who = ({ app }: { app: ConsentInfo['app'] }) => {
  const words = useAppWords()
  const { language } = useWords()
  const { name, description } = appWords(app, language)
  return (
    <>
      <div className={styles.who}>
        <AppIcon icon={app.icon} name={name} />
        <div>
          <strong>{words.by(app.developer)}</strong>
          {description && <p dir="auto">{description}</p>}
          <p>
            <a href={app.url} target="_blank" rel="noopener noreferrer">
              <Ltr>{new URL(app.url).host}</Ltr>
            </a>
            {app.privacy_url && (
              <>
                {' · '}
                <a href={app.privacy_url} target="_blank" rel="noopener noreferrer">
                  {words.privacy}
                </a>
              </>
            )}
          </p>
        </div>
      </div>
      {!app.is_registered && (
        <p className={styles.warning}>
          {words.consent.unregistered} <Ltr>{new URL(app.client_id).host}</Ltr>
        </p>
      )}
    </>
  )
}

/** What no app may do, and what this one does not ask for. */
const Never = ({ asked }: { asked: readonly string[] }) => {
  const people = usePeopleWords()
  const apps = useAppWords()
  const { locale } = useWords()
  const { never, mayNever } = apps.consent
  const others = SUBJECTS.filter((subject) => !asked.some((name) => name.startsWith(`${subject}:`)))
  const sentences = [
    never.password,
    never.stores,
    ...(asked.some((name) => name.endsWith(':delete')) ? [] : [never.delete]),
    ...(others.length > 0
      ? [never.others(listFormat(locale).format(others.map((subject) => subjectWord(people, subject))))]
      : []),
    never.cards,
  ]
  return (
    <section className={styles.part}>
      <h2>{mayNever}</h2>
      <ul className={styles.never}>
        {sentences.map((sentence) => (
          <li key={sentence}>
            <X aria-hidden />
            <span>{sentence}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Why this person cannot install the app on this store. */
const obstacleOf = (store: StoreChoice | undefined, { consent }: AppWords) => {
  if (!store) return consent.noStore
  return store.may_install ? undefined : consent.mayNot
}

const firstStore = ({ stores, store: wanted }: ConsentInfo) => {
  const byId = (id: string | null) => stores.find((store) => store.id === id)
  // An address may name one store, and then means no other.
  return wanted ? byId(wanted) : (byId(lastStore()) ?? stores.find(({ may_install }) => may_install) ?? stores[0])
}

const optionalGranted = ({ optional }: ConsentInfo, store: StoreChoice | undefined) =>
  optional.filter((name) => store?.granted?.includes(name))

const useDecision = (consent: ConsentInfo, request: URLSearchParams, onChanged: () => unknown) => {
  const words = useAppWords()
  const { language } = useWords()
  const queries = useQueryClient()
  const toast = useToast()
  const [, navigate] = useLocation()
  const { run, dialog } = useStepUp()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const { name } = appWords(consent.app, language)

  const follow = async (store: StoreChoice, redirect: string | undefined) => {
    if (redirect) return location.assign(redirect)
    await queries.invalidateQueries({ queryKey: [store.id, 'apps'] })
    toast(store.granted ? words.permissionsSaved : words.installDone(name))
    navigate(appPath(store.id, consent.app.client_id), { replace: true })
  }

  const decide = async (store: StoreChoice, permissions: readonly string[]) => {
    setBusy(true)
    setError(undefined)
    const { revision } = consent
    try {
      let answer: Awaited<ReturnType<typeof consoleApi.decide>> = {}
      await run(async () => {
        const given = Object.fromEntries(request)
        answer = await consoleApi.decide({ request: given, store: store.id, permissions, revision })
      })
      // After the password dialog has closed: while it is open, leaving the page would ask about what was typed there.
      setTimeout(() => follow(store, answer.redirect))
    } catch (error) {
      if (error instanceof ConsoleError && error.status === 412) onChanged()
      else setError(error)
      setBusy(false)
    }
  }

  const refuse = (store: StoreChoice | undefined) => {
    if (consent.denied) return location.assign(consent.denied)
    navigate(store ? `/s/${store.id}/apps` : '/', { replace: true })
  }
  return { decide, refuse, busy, error, dialog }
}

const Asked = ({
  consent,
  request,
  hasChanged,
  onChanged,
}: {
  consent: ConsentInfo
  request: URLSearchParams
  hasChanged: boolean
  onChanged: () => unknown
}) => {
  const words = useAppWords()
  const [store, setStore] = useState(() => firstStore(consent))
  const [chosen, setChosen] = useState<string[]>(() => optionalGranted(consent, store))
  const { decide, refuse, busy, error, dialog } = useDecision(consent, request, onChanged)
  const obstacle = obstacleOf(store, words)
  const missing = store?.missing ?? []
  const granted = store?.granted
  const { required, optional } = consent
  // A client that nobody registered acts for this person, who ticks all that it may do.
  const isAssistant = !consent.app.is_registered
  const grantable = store?.grantable ?? []
  const isEmpty = isAssistant && chosen.length === 0
  const wantsMore = granted && required.some((name) => !granted.includes(name))
  return (
    <form
      className={styles.card}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (store) decide(store, chosen)
      }}
    >
      {!consent.store && consent.stores.length > 1 && (
        <SelectField
          label={words.installing}
          name="store"
          value={store?.id ?? ''}
          choices={consent.stores.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={({ target }) => {
            const next = consent.stores.find(({ id }) => id === target.value)
            setStore(next)
            setChosen(optionalGranted(consent, next))
          }}
        />
      )}
      {store && (consent.store || consent.stores.length === 1) && (
        <p>
          {words.installing} <strong dir="auto">{store.name}</strong>
        </p>
      )}
      {!isAssistant && (
        <section className={styles.part}>
          <h2>{words.consent.may}</h2>
          {required.length === 0 && <p>{words.consent.nothing}</p>}
          <PermissionList
            names={required}
            isNew={(name) => granted !== null && granted !== undefined && !granted.includes(name)}
          />
        </section>
      )}
      {optional.length > 0 && (
        <section className={styles.part}>
          <h2>{isAssistant ? words.consent.choose : words.consent.optional}</h2>
          <p>{isAssistant ? words.consent.chooseHelp : words.consent.optionalHelp}</p>
          {isAssistant && (
            <div className={styles.buttons}>
              <Button onClick={() => setChosen(grantable.filter((name) => LOOKS.test(name)))}>
                {words.consent.lookOnly}
              </Button>
              <Button onClick={() => setChosen([...grantable])}>{words.consent.everything}</Button>
              <Button onClick={() => setChosen([])}>{words.consent.noneOfIt}</Button>
            </div>
          )}
          <PermissionSwitches
            names={optional}
            chosen={chosen}
            mayGrant={(name) => grantable.includes(name)}
            onChange={setChosen}
          />
        </section>
      )}
      <Never asked={isAssistant ? chosen : [...required, ...optional]} />
      {obstacle && <p className={styles.warning}>{obstacle}</p>}
      {!obstacle && missing.length > 0 && (
        <div className={styles.warning}>
          {words.consent.missing}
          <PermissionList names={missing} />
        </div>
      )}
      <div className={styles.foot}>
        {hasChanged && (
          <p role="alert" className={styles.warning}>
            {words.consent.changed}
          </p>
        )}
        <Problem error={error} />
        <div className={styles.buttons}>
          <Button
            kind="primary"
            type="submit"
            busy={busy}
            disabled={obstacle !== undefined || missing.length > 0 || isEmpty}
          >
            {isAssistant
              ? words.consent.connect
              : granted
                ? wantsMore
                  ? words.accept
                  : words.saveChoice
                : words.install}
          </Button>
          <Button onClick={() => refuse(store)} disabled={busy}>
            {words.notNow}
          </Button>
        </div>
        <p>
          {isEmpty && <>{words.consent.tickOne} </>}
          {isAssistant ? words.consent.cutOffAnytime : words.consent.revocable}{' '}
          {consent.returns_to && words.consent.returns(consent.returns_to)}
        </p>
      </div>
      {dialog}
    </form>
  )
}

/** Shows what an app asks for, and sends the person's decision: the page of /oauth/authorize. */
const ConsentPage = () => {
  const words = useAppWords()
  const { shell } = useMessages()
  const appsTitle = useAppsTitle()
  const { language } = useWords()
  const search = useSearch()
  const [hasChanged, setChanged] = useState(false)
  const query = useQuery({
    queryKey: ['consent', search],
    queryFn: () => consoleApi.consent(new URLSearchParams(search)),
    // What a person reads does not change under their eyes; the service says so if the app has changed.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const { consent, redirect } = query.data ?? {}
  const name = consent ? appWords(consent.app, language).name : ''
  const title = consent ? words.consent.asks(name) : appsTitle
  useEffect(() => {
    document.title = `${title} · ${shell.console}`
  }, [title, shell])
  useEffect(() => {
    // A mistake of the client, which it is told of at its own address.
    if (redirect) location.replace(redirect)
  }, [redirect])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        {query.error && (
          <Empty isPage title={words.consent.bad}>
            <p>{words.consent.badHelp}</p>
            <Problem error={query.error} />
          </Empty>
        )}
        {!consent && !query.error && <Skeleton lines={6} />}
        {consent && (
          <>
            <h1>{title}</h1>
            <Who app={consent.app} />
            <Asked
              // What was chosen before the app changed was chosen of something else.
              key={consent.revision}
              consent={consent}
              request={new URLSearchParams(search)}
              hasChanged={hasChanged}
              onChanged={() => {
                setChanged(true)
                query.refetch()
              }}
            />
          </>
        )}
      </div>
    </main>
  )
}

export default ConsentPage
