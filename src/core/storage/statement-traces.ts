import { SpanKind, trace } from '@opentelemetry/api'
import { inSpan } from '../tracing.ts'
import { LimitedMap } from './limited-map.ts'

const MAX_KINDS = 1_000
const kinds = new LimitedMap<string, string>(MAX_KINDS)

const WRITES = /\b(insert into|delete from|update(?= (?:only )?"?\w+"?(?: as)?(?: "?\w+"?)? set\b))\s+(?:only )?"?(\w+)/
const READS = /\bfrom\s+"?(\w+)/
/** In these, no table follows. */
const OTHER_FROM = /\b(?:extract\(\w+|distinct) from\b/g

/** `insert orders`: what a statement does to which table, the first one that it writes or else reads. */
export const kindOfStatement = (text: string): string => {
  const known = kinds.get(text)
  if (known !== undefined) return known
  const [, verb = '', written] = WRITES.exec(text) ?? []
  const [, read] = READS.exec(text.replace(OTHER_FROM, '')) ?? []
  const [first = ''] = /^\w+/.exec(text.trimStart()) ?? []
  const kind = written ? `${verb.split(' ')[0]} ${written}` : read ? `select ${read}` : first
  kinds.set(text, kind)
  return kind
}

/** A span for a statement of a request that is being answered. It names neither text nor values. */
export const traceStatement = <T>(text: string, run: () => Promise<T>): Promise<T> => {
  // Background work may go on in the context of a request that has been answered.
  if (!trace.getActiveSpan()?.isRecording()) return run()
  const name = kindOfStatement(text)
  const [operation = '', table] = name.split(' ')
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    ...(table && { 'db.collection.name': table }),
  }
  return inSpan(name, { kind: SpanKind.CLIENT, attributes }, run)
}
