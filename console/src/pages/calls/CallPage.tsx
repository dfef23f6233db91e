import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { type CallLine, developerApi } from '../../api/developer.ts'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useCopy } from '../../components/useCopy.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'
import { useDeveloperWords } from '../developer/words.ts'
import { nameOfRoute } from '../playground/operations.ts'
import { curlOf } from './curl.ts'
import { Status } from './Status.tsx'

/** So often a line is looked for that is not there. */
const TRIES = 5

/** The same operation in the same store. */
const playgroundOf = (app: string, { store_id, resource_id }: CallLine, method: string, route: string) => {
  const given = {
    ...(store_id && { store: store_id }),
    call: nameOfRoute(method, route),
    ...(resource_id && { 'path.id': resource_id }),
  }
  return `/apps/${app}/playground?${new URLSearchParams(given)}`
}

const Call = ({ app, call }: { app: string; call: CallLine }) => {
  const words = useDeveloperWords()
  const { locale } = useWords()
  const copy = useCopy()
  const bytes = (value: number | null) => value !== null && words.bytes(numberFormat(locale).format(value))
  const curl = curlOf(call, location.origin)
  const facts: [string, ReactNode][] = [
    [words.status, <Status key="status" status={call.status} />],
    [words.time, <When key="at" at={call.at} />],
    [words.requestId, <Ltr key="request">{call.request_id}</Ltr>],
    [words.call, <Ltr key="call">{`${call.method ?? ''} ${call.route ?? words.noRoute}`}</Ltr>],
    [words.resource, call.resource_id && <Ltr>{call.resource_id}</Ltr>],
    [words.code, call.code && <Ltr>{call.code}</Ltr>],
    [words.fields, call.fields.length > 0 && <Ltr>{call.fields.join(', ')}</Ltr>],
    [words.permission, call.permission && <Ltr>{call.permission}</Ltr>],
    [words.ignored, call.ignored.length > 0 && <Ltr>{call.ignored.join(', ')}</Ltr>],
    [words.key, call.idempotency_key && <Ltr>{call.idempotency_key}</Ltr>],
    [words.store, call.store && <bdi>{call.store}</bdi>],
    [words.person, call.account && <bdi>{call.account}</bdi>],
    [words.assistant, call.via && <bdi>{call.app}</bdi>],
    [words.ms, call.ms],
    [words.sent, bytes(call.bytes_in)],
    [words.received, bytes(call.bytes_out)],
    [words.agent, call.agent && <Ltr>{call.agent}</Ltr>],
  ]
  return (
    <Surface>
      <dl className={styles.facts}>
        {facts.map(([label, value]) =>
          value === null || value === false || value === '' ? (
            <Fragment key={label} />
          ) : (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {/* It scrolls by itself, so it must be focusable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
      <pre className={styles.code} dir="ltr" tabIndex={0}>
        {curl}
      </pre>
      <p className={styles.note}>
        {words.curlHelp}{' '}
        <Button icon={<Copy />} onClick={() => copy(curl)}>
          {words.copyCurl}
        </Button>{' '}
        {call.method && call.route && (
          <Link href={playgroundOf(app, call, call.method, call.route)}>{words.openInPlayground}</Link>
        )}
      </p>
    </Surface>
  )
}

/** The calls with one request id. */
const CallPage = () => {
  const words = useDeveloperWords()
  const app = useAppId()
  const { request = '' } = useParams<{ request: string }>()
  const { data, error } = useQuery({
    queryKey: ['developer', app, 'call', request],
    queryFn: () => developerApi.call(app, request),
    // A line is written a moment after its call.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.calls.length === 0 && dataUpdateCount < TRIES ? 1_000 : false,
  })
  return (
    <AppFrame section="log">
      <Problem error={error ?? undefined} />
      {!data && !error && <Skeleton lines={8} />}
      {data?.calls.length === 0 && <Empty title={words.noCall}>{words.noCallHelp}</Empty>}
      {data?.calls.map((call) => (
        <Call key={call.id} app={app} call={call} />
      ))}
    </AppFrame>
  )
}

export default CallPage
