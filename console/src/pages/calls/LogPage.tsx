import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { type CallLine, developerApi } from '../../api/developer.ts'
import { Empty } from '../../components/Empty.tsx'
import { CheckField, SelectField, TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { useAddress, withChanges } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'
import { type DeveloperWords, useDeveloperWords } from '../developer/words.ts'
import { Status } from './Status.tsx'

const FILTERS = ['status', 'method', 'route', 'code', 'store', 'request_id', 'via', 'cursor'] as const
const STATUSES = ['2xx', '4xx', '5xx']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const LIVE_MS = 2_000

const columnsOf = (words: DeveloperWords): Column<CallLine>[] => [
  { id: 'at', label: words.time, cell: ({ at }) => <When at={at} /> },
  {
    id: 'call',
    label: words.call,
    cell: ({ method, route, skipped, via, account }) => (
      <>
        <span className={styles.route}>
          <Ltr>
            {method} {route ?? words.noRoute}
          </Ltr>
        </span>
        {via && (
          <small>
            {' '}
            {words.assistant}
            {account && (
              <>
                {' · '}
                <bdi>{account}</bdi>
              </>
            )}
          </small>
        )}
        {skipped > 0 && <small> {words.skipped(skipped)}</small>}
      </>
    ),
  },
  { id: 'status', label: words.status, cell: ({ status }) => <Status status={status} /> },
  { id: 'code', label: words.code, wide: true, cell: ({ code }) => <Ltr>{code}</Ltr> },
  { id: 'store', label: words.store, wide: true, cell: ({ store }) => <bdi>{store}</bdi> },
  { id: 'ms', label: words.ms, wide: true, align: 'end', cell: ({ ms }) => ms },
]

const Figures = ({ app }: { app: string }) => {
  const words = useDeveloperWords()
  const { locale } = useWords()
  const { data } = useQuery({ queryKey: ['developer', app, 'counts'], queryFn: () => developerApi.counts(app) })
  if (!data)
    return (
      <div className={styles.note}>
        <Skeleton lines={2} />
      </div>
    )
  const number = (value: number) => numberFormat(locale).format(value)
  const time = (bound: number | null) => (bound === null ? '–' : words.upTo(number(bound)))
  return (
    <dl className={styles.figures}>
      {[
        [words.calls, number(data.calls)],
        [words.refused, number(data.refused)],
        [words.failed, number(data.failed)],
        [words.median, time(data.p50)],
        [words.p95, time(data.p95)],
      ].map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Follows the address, and changes it when typing has paused. */
const RequestField = () => {
  const words = useDeveloperWords()
  const { params, change } = useAddress()
  const given = params.get('request_id') ?? ''
  const [text, setText] = useState(given)
  useEffect(() => setText(given), [given])
  useEffect(() => {
    if (text === given) return
    const timer = setTimeout(() => change({ request_id: text.trim() }, { replace: true }), 300)
    return () => clearTimeout(timer)
  }, [text, given, change])
  return (
    <TextField
      label={words.requestId}
      dir="ltr"
      maxLength={128}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

/** What the app has called, the newest first. */
const LogPage = () => {
  const messages = useMessages()
  const words = useDeveloperWords()
  const { controls } = messages
  const app = useAppId()
  const { params, search, path, change } = useAddress()
  const query = new URLSearchParams(
    FILTERS.flatMap((name) => (params.get(name) ? [[name, params.get(name) ?? '']] : [])),
  )
  const isLive = params.get('live') === '1'
  const { data, error } = useQuery({
    queryKey: ['developer', app, 'calls', query.toString()],
    queryFn: () => developerApi.calls(app, query),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? LIVE_MS : false,
  })
  const all = { value: '', label: words.all }
  return (
    <AppFrame section="log">
      <Surface>
        <Figures app={app} />
      </Surface>
      <Surface>
        <div className={styles.filters}>
          <SelectField
            label={words.status}
            value={params.get('status') ?? ''}
            choices={[all, ...STATUSES.map((value) => ({ value, label: words.statuses[value as '2xx'] }))]}
            onChange={({ target }) => change({ status: target.value })}
          />
          <SelectField
            label={words.method}
            value={params.get('method') ?? ''}
            choices={[all, ...METHODS.map((value) => ({ value, label: value }))]}
            onChange={({ target }) => change({ method: target.value })}
          />
          <RequestField />
          <CheckField
            label={words.assistantsOnly}
            checked={params.get('via') === 'assistant'}
            onChange={(on) => change({ via: on ? 'assistant' : undefined })}
          />
          <CheckField label={words.live} checked={isLive} onChange={(on) => change({ live: on ? '1' : undefined })} />
        </div>
        <Problem error={error ?? undefined} />
        {!data && !error && <Skeleton lines={8} />}
        {data && data.lost > 0 && <p className={styles.note}>{words.lost(data.lost)}</p>}
        {data?.calls.length === 0 && <Empty title={words.noCalls}>{words.noCallsHelp(data.days)}</Empty>}
        {data && data.calls.length > 0 && (
          <Table
            caption={words.sections.log}
            rows={data.calls}
            keyOf={({ id }) => id}
            nameOf={({ request_id }) => request_id}
            href={({ request_id }) => `/apps/${app}/log/${encodeURIComponent(request_id)}`}
            columns={columnsOf(words)}
          />
        )}
        {data?.next_cursor && (
          <p className={styles.note}>
            <Link href={`${path}?${withChanges(search, { cursor: data.next_cursor })}`}>{controls.next}</Link>
          </p>
        )}
      </Surface>
    </AppFrame>
  )
}

export default LogPage
