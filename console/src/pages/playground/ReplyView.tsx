import { Copy, Download } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { download } from '../../components/download.ts'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { useCopy } from '../../components/useCopy.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { Status } from '../calls/Status.tsx'
import styles from './Playground.module.css'
import type { Reply } from './send.ts'
import { usePlaygroundWords } from './words.ts'

/** More of a body is not drawn. */
const MAX_SHOWN = 100_000

const textOf = ({ json, text = '' }: Reply) => (json === undefined ? text : JSON.stringify(json, null, 2))

const Body = ({ reply }: { reply: Reply }) => {
  const words = usePlaygroundWords()
  const { locale } = useWords()
  const copy = useCopy()
  const number = (value: number) => numberFormat(locale).format(value)
  const text = textOf(reply)
  const isLong = text.length > MAX_SHOWN
  if (reply.bytes === 0) return <p className={styles.help}>{words.empty}</p>
  return (
    <>
      {reply.text === undefined && <p className={styles.help}>{words.binary}</p>}
      {reply.text !== undefined && (
        // It scrolls by itself, so it must be focusable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
        <pre className={styles.code} dir="ltr" tabIndex={0}>
          {isLong ? text.slice(0, MAX_SHOWN) : text}
        </pre>
      )}
      {isLong && <p className={styles.help}>{words.cut(number(MAX_SHOWN), number(reply.bytes))}</p>}
      {reply.isCut && <p className={styles.help}>{words.tooLong(number(reply.bytes))}</p>}
      <p className={styles.row}>
        {reply.text !== undefined && (
          <Button icon={<Copy />} onClick={() => copy(text)}>
            {words.copyBody}
          </Button>
        )}
        {!reply.isCut && (
          <Button icon={<Download />} onClick={() => download(reply.body, 'reply')}>
            {words.save}
          </Button>
        )}
      </p>
    </>
  )
}

interface ReplyViewProps {
  app: string
  reply: Reply | undefined
  /** A write that was to be really done. */
  isWrite: boolean
}

/** Status, headers, time and body of the last answer. */
export const ReplyView = ({ app, reply, isWrite }: ReplyViewProps) => {
  const words = usePlaygroundWords()
  const { locale } = useWords()
  const number = (value: number, digits = 0) => numberFormat(locale, { maximumFractionDigits: digits }).format(value)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (reply) place.current?.scrollIntoView({ block: 'nearest' })
  }, [reply])
  const header = (name: string) => reply?.headers.find(([key]) => key === name)?.[1]
  return (
    <>
      {/* Announced when it comes. */}
      <div role="status" ref={place} className={styles.summary}>
        {reply && (
          <>
            <Status status={reply.status} /> <span>{words.ms(number(reply.ms, reply.ms < 10 ? 1 : 0))}</span>{' '}
            <span>{words.bytes(number(reply.bytes))}</span>
            {isWrite && reply.wasDry && <Badge tone="accent">{words.dry}</Badge>}
            {isWrite && !reply.wasDry && reply.status < 300 && <Badge tone="warn">{words.notDry}</Badge>}
            {header('idempotency-replayed') === 'true' && <Badge>{words.replayed}</Badge>}
          </>
        )}
      </div>
      {!reply && <Empty title={words.noReply}>{words.noReplyHelp}</Empty>}
      {reply && (
        <div className={styles.part}>
          {reply.requestId && (
            <p className={styles.row}>
              <Ltr>{reply.requestId}</Ltr>
              <Link href={`/apps/${app}/log/${encodeURIComponent(reply.requestId)}`}>{words.openLine}</Link>
            </p>
          )}
          <details className={styles.details}>
            <summary>{words.headers(reply.headers.length)}</summary>
            <dl dir="ltr">
              {reply.headers.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </details>
          <Body reply={reply} />
        </div>
      )}
    </>
  )
}
