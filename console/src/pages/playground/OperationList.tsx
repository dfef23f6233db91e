import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../components/Badge.tsx'
import { Empty } from '../../components/Empty.tsx'
import { TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Surface } from '../../components/Page.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useSettled } from '../../components/useSettled.ts'
import { findOperations, nameOf, type Operation } from './operations.ts'
import styles from './Playground.module.css'
import { usePlaygroundWords } from './words.ts'

interface OperationListProps {
  operations: readonly Operation[]
  /** Of the installation. */
  permissions: readonly string[]
  hrefOf: (operation: Operation) => string
}

export const OperationList = ({ operations, permissions, hrefOf }: OperationListProps) => {
  const words = usePlaygroundWords()
  const { params, change } = useAddress()
  const [search, setSearch] = useState(params.get('search') ?? '')
  const settled = useSettled(search)
  const known = params.get('search') ?? ''
  useEffect(() => {
    if (settled !== known) change({ search: settled }, { replace: true })
  }, [settled, known, change])
  const groups = findOperations(operations, search)
  const count = groups.reduce((sum, [, found]) => sum + found.length, 0)
  return (
    <Surface>
      <div className={styles.finder}>
        <TextField
          label={words.search}
          placeholder={words.searchHelp}
          dir="auto"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <p role="status">{words.found(count)}</p>
      </div>
      {count === 0 && <Empty title={words.noOperation} />}
      {groups.map(([tag, found]) => (
        <section key={tag} className={styles.group}>
          <h2>{words.tags[tag] ?? tag}</h2>
          <ul>
            {found.map((operation) => (
              <li key={operation.id}>
                <Link href={hrefOf(operation)}>
                  <span className={styles.name}>
                    <Ltr>{nameOf(operation)}</Ltr>
                  </span>
                  <span lang="en" dir="auto">
                    {operation.summary}
                  </span>
                  <small>
                    {operation.permission && <Ltr>{operation.permission}</Ltr>}{' '}
                    {operation.permission && !permissions.includes(operation.permission) && (
                      <Badge tone="warn">{words.notGranted}</Badge>
                    )}
                  </small>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Surface>
  )
}
