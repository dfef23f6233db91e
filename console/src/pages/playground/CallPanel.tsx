import { Play, Square } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { CheckField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { About } from './About.tsx'
import { BodyField, faultOf } from './BodyField.tsx'
import { CodeView } from './CodeView.tsx'
import { type Call, KEY_HEADER, keyOf, missingParameters } from './call.ts'
import { agree, draftOf, hasAgreed, keepDraft } from './drafts.ts'
import { nameOf, type Operation } from './operations.ts'
import { ParameterFields } from './ParameterFields.tsx'
import styles from './Playground.module.css'
import { ReplyView } from './ReplyView.tsx'
import { type Reply, sendCall } from './send.ts'
import type { useToken } from './useToken.ts'
import { type PlaygroundWords, usePlaygroundWords } from './words.ts'

const PAUSE_MS = 300
const KEY = `header.${KEY_HEADER}`

export interface Installation {
  id: string
  store_id: string
  store: string
  is_demo: boolean
  permissions: readonly string[]
}

interface CallPanelProps {
  app: string
  installation: Installation
  operation: Operation
  access: ReturnType<typeof useToken>
  isReal: boolean
  onReal: (isReal: boolean) => void
}

type Errors = Record<string, string[]>

/** What the server refused: of parameters by their place in the address, and of the body. */
const errorsOf = ({ parameters, body }: Operation, reply: Reply | undefined) => {
  const errors = (reply?.json as { errors?: Errors } | undefined)?.errors
  const ofParameters: Errors = {}
  const ofBody: Errors = {}
  if (errors === null || typeof errors !== 'object' || (reply?.status ?? 0) < 400) return { ofParameters, ofBody }
  for (const [path, sentences] of Object.entries(errors)) {
    const parameter = parameters.find(({ name }) => name === path || name === path.split('.')[0])
    if (parameter) ofParameters[keyOf(parameter)] = [sentences].flat()
    else if (body) ofBody[path] = [sentences].flat()
  }
  return { ofParameters, ofBody }
}

/** The values in the address, or those of the recorded example, which exist in the demo store. */
const initialValues = ({ parameters }: Operation, params: URLSearchParams, isDemo: boolean) =>
  Object.fromEntries(parameters.map((one) => [keyOf(one), params.get(keyOf(one)) ?? (isDemo ? one.example : '')]))

const firstWrong = (form: HTMLElement | null) =>
  setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())

const labelOf = (words: PlaygroundWords, { isWrite }: Operation, isDry: boolean) => {
  if (!isWrite) return words.send
  return isDry ? words.tryIt : words.doIt
}

/** One operation: what is sent, the answer, and the same call as code. */
export const CallPanel = ({ app, installation, operation, access, isReal, onReal }: CallPanelProps) => {
  const words = usePlaygroundWords()
  const { params, change } = useAddress()
  const { store, store_id, is_demo, permissions } = installation
  const name = nameOf(operation)
  const form = useRef<HTMLFormElement>(null)
  const running = useRef<AbortController>(undefined)
  const [values, setValues] = useState(() => initialValues(operation, params, is_demo))
  const [body, setBody] = useState(() => draftOf(app, name) ?? operation.body?.example ?? '')
  const [files, setFiles] = useState<Call['files']>({})
  const [freshKey, setFreshKey] = useState(() => crypto.randomUUID())
  const [missing, setMissing] = useState<readonly string[]>([])
  const [reply, setReply] = useState<Reply>()
  const [fault, setFault] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  const [asks, setAsks] = useState<'store' | 'once'>()

  const { isWrite, canDryRun, permission } = operation
  const isDry = isWrite && canDryRun && !isReal
  const takesKey = operation.parameters.some(({ name }) => name === KEY_HEADER)
  // Nothing that is really done is done twice.
  const usualKey = takesKey && !isDry ? freshKey : undefined
  const call: Call = {
    operation,
    values: usualKey ? { ...values, [KEY]: values[KEY] || usualKey } : values,
    body,
    files,
    isDry,
  }
  const { ofParameters, ofBody } = errorsOf(operation, reply)
  const errors = { ...ofParameters, ...Object.fromEntries(missing.map((key) => [key, [words.fillIn]])) }

  // A key is for one call, and a link is opened many times.
  useEffect(() => {
    const timer = setTimeout(() => {
      const { [KEY]: _, ...shared } = values
      if (Object.entries(shared).some(([key, value]) => (params.get(key) ?? '') !== value))
        change(shared, { replace: true })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [values, params, change])

  const send = async () => {
    if (running.current) return
    const stop = new AbortController()
    running.current = stop
    setSending(true)
    setFault(undefined)
    setReply(undefined)
    try {
      const token = operation.takesToken ? await access.get() : undefined
      let answer = await sendCall(call, token?.text, stop.signal)
      // A token that is refused has done nothing.
      if (answer.status === 401 && token) answer = await sendCall(call, (await access.renew()).text, stop.signal)
      setReply(answer)
      setFreshKey(crypto.randomUUID())
      firstWrong(form.current)
    } catch (error) {
      const unknown = isWrite && !isDry
      if (stop.signal.aborted) setFault(unknown ? new Error(words.stopped) : undefined)
      else if (error instanceof TypeError) setFault(new Error(unknown ? words.noAnswer : words.noAnswerDry))
      else setFault(error)
    } finally {
      running.current = undefined
      setSending(false)
    }
  }

  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    const empty = missingParameters(call)
    setMissing(empty)
    if (empty.length > 0 || (operation.body && faultOf(operation.body, body) !== undefined)) {
      firstWrong(form.current)
      return
    }
    if (isWrite && !canDryRun) setAsks('once')
    else void send()
  }

  const setReal = (on: boolean) => {
    if (on && !is_demo && !hasAgreed(store_id)) setAsks('store')
    else onReal(on)
  }

  const type = (text: string) => {
    keepDraft(app, name, text)
    setBody(text)
  }

  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
  }

  return (
    <div className={styles.columns}>
      <Surface>
        <form ref={form} noValidate onSubmit={submit} onKeyDown={press}>
          <section className={styles.part}>
            <h2 className={styles.name}>
              <Ltr>{name}</Ltr>
            </h2>
            <p lang="en" dir="auto">
              <strong>{operation.summary}</strong>
            </p>
            <About text={operation.about} />
            {permission && !permissions.includes(permission) && (
              <p>
                <Badge tone="warn">{words.notGranted}</Badge> {words.lacks(permission)}
              </p>
            )}
            {!operation.takesToken && <p className={styles.help}>{words.noToken}</p>}
          </section>
          <ParameterFields
            parameters={operation.parameters}
            values={values}
            usualKey={usualKey}
            errors={errors}
            onChange={(key, value) => setValues((before) => ({ ...before, [key]: value }))}
          />
          {operation.body && (
            <BodyField
              about={operation.body}
              text={body}
              onChange={type}
              errors={ofBody}
              files={files}
              onFiles={(part, chosen) => setFiles((before) => ({ ...before, [part]: chosen }))}
            />
          )}
          <div className={styles.send}>
            {isWrite && canDryRun && (
              <div>
                <CheckField label={words.reallyDo} checked={isReal} onChange={setReal} />
                <p className={styles.help}>{isReal ? words.realHelp(store) : words.dryHelp}</p>
              </div>
            )}
            {isWrite && !canDryRun && <p>{words.noDryRun}</p>}
            <Problem error={fault} />
            <p className={styles.row}>
              <Button
                type="submit"
                kind={isWrite && !isDry ? 'danger' : 'primary'}
                icon={<Play className="pointing" />}
                busy={isSending}
              >
                {labelOf(words, operation, isDry)}
              </Button>
              {isSending && (
                <Button icon={<Square />} onClick={() => running.current?.abort()}>
                  {words.stop}
                </Button>
              )}
            </p>
          </div>
        </form>
      </Surface>
      <div className={styles.answers}>
        <Surface>
          <ReplyView app={app} reply={reply} isWrite={isWrite} />
        </Surface>
        <Surface>
          <CodeView call={call} token={access.token?.text} />
        </Surface>
      </div>
      {asks === 'store' && (
        <Confirm
          title={words.askReal(store)}
          act={words.reallyDo}
          danger
          onClose={() => setAsks(undefined)}
          onConfirm={async () => {
            agree(store_id)
            onReal(true)
          }}
        >
          {words.askRealHelp}
        </Confirm>
      )}
      {asks === 'once' && (
        <Confirm
          title={words.askOnce}
          act={words.doIt}
          danger
          onClose={() => setAsks(undefined)}
          onConfirm={async () => void send()}
        >
          {words.askOnceHelp}
        </Confirm>
      )}
    </div>
  )
}
