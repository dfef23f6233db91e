import { Link } from 'wouter'
import { ACTS } from '../../../../src/resources/accounts/acts.ts'
import { type AuditEntry, operatorApi } from '../../api/console.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './ServiceList.module.css'
import { ServiceList, useServiceList } from './ServiceList.tsx'
import { useAuditTitle } from './titles.ts'
import { useOperatorWords } from './words.ts'

const PARAMETERS = ['act', 'who', 'account_id', 'store_id', 'from', 'to']

const loadAudit = async (filters: Record<string, string>) => {
  const { entries, next_cursor } = await operatorApi.audit(filters)
  return { rows: entries, total: null, next: next_cursor }
}

const shown = (value: unknown) => {
  if (value === undefined || value === null || value === '') return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const Changes = ({ before, after }: Pick<AuditEntry, 'before' | 'after'>) => {
  const words = useOperatorWords()
  const was = (before ?? {}) as Record<string, unknown>
  const is = (after ?? {}) as Record<string, unknown>
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  if (names.length === 0) return null
  return (
    <details className={styles.changes}>
      <summary>{words.changes}</summary>
      <dl>
        <div>
          <dt />
          <dd>{words.before}</dd>
          <dd>{words.after}</dd>
        </div>
        {names.map((name) => (
          <div key={name}>
            <dt>
              <bdi dir="ltr">{name}</bdi>
            </dt>
            <dd>
              <bdi>{shown(was[name])}</bdi>
            </dd>
            <dd>
              <bdi>{shown(is[name])}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** Of an entry without an account; others are of apps, with their names. */
const COMMAND_LINE = 'command line'

const Entry = ({ entry }: { entry: AuditEntry }) => {
  const words = useOperatorWords()
  const { at, actor, act, subject, account_id, store_id, store, app, before, after } = entry
  const name = words.acts[act as keyof typeof words.acts] ?? act
  return (
    <li>
      <div className={styles.main}>
        <span>
          <strong>{name}</strong> {subject && <bdi>{subject}</bdi>}
        </span>
        <small>
          {account_id ? (
            <Link href={`/activity?account_id=${account_id}`}>
              <bdi>{actor}</bdi>
            </Link>
          ) : actor === COMMAND_LINE ? (
            words.commandLine
          ) : (
            <bdi>{actor}</bdi>
          )}
          {store_id && (
            <>
              {' · '}
              <Link href={`/activity?store_id=${store_id}`}>
                <bdi>{store ?? store_id}</bdi>
              </Link>
            </>
          )}
          {app && (
            <>
              {' · '}
              <bdi>{app}</bdi>
            </>
          )}
        </small>
        <Changes before={before} after={after} />
      </div>
      <span className={styles.when}>
        <When at={at} />
      </span>
    </li>
  )
}

/** Who did what, the newest first, the command line included. */
const AuditPage = () => {
  const words = useOperatorWords()
  const { controls } = useMessages()
  const title = useAuditTitle()
  const query = useServiceList('audit', PARAMETERS, loadAudit)
  return (
    <ServiceList
      title={title}
      searchHint={words.findEntry}
      parameters={PARAMETERS}
      filters={[
        {
          id: 'act',
          label: words.act,
          kind: 'choice',
          choices: ACTS.map((act) => ({ value: act, label: words.acts[act] })),
        },
        {
          id: 'who',
          label: words.who,
          kind: 'choice',
          choices: [
            { value: 'people', label: words.byPeople },
            { value: 'apps', label: words.byApps },
            { value: 'command_line', label: words.commandLine },
          ],
        },
        { id: 'from', label: controls.from, kind: 'date' },
        { id: 'to', label: controls.to, kind: 'date' },
      ]}
      query={query}
      empty={{ title: words.noEntries }}
      row={(entry) => <Entry key={entry.id} entry={entry} />}
    />
  )
}

export default AuditPage
