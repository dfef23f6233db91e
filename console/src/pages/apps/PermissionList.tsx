import { Badge } from '../../components/Badge.tsx'
import { usePeopleWords } from '../people/words.ts'
import styles from './Apps.module.css'
import { actionWord, groupPermissions, type Risk, riskOf, subjectWord } from './permissions.ts'
import { useAppWords } from './words.ts'

const RiskBadge = ({ risk }: { risk: Risk | undefined }) => {
  const words = useAppWords()
  return risk ? <Badge tone="warn">{words.risk[risk]}</Badge> : null
}

/** Permissions in plain words, by what they are about. `isNew` marks those that are asked for in addition. */
export const PermissionList = ({
  names,
  isNew = () => false,
}: {
  names: readonly string[]
  isNew?: (name: string) => boolean
}) => {
  const people = usePeopleWords()
  const apps = useAppWords()
  return (
    <ul className={styles.permissions}>
      {groupPermissions(names).map(({ subject, permissions }) => {
        const risks = [...new Set(permissions.map(riskOf))].filter((risk) => risk !== undefined)
        return (
          <li key={subject}>
            <strong>{subjectWord(people, subject)}</strong>
            <span className={styles.actions}>
              {permissions.map((name) => (
                <span key={name}>
                  {actionWord(people, name)}
                  {isNew(name) && <Badge tone="accent">{apps.consent.new}</Badge>}
                </span>
              ))}
            </span>
            <span className={styles.risks}>
              {risks.map((risk) => (
                <RiskBadge key={risk} risk={risk} />
              ))}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Optional permissions, each with a switch. */
export const PermissionSwitches = ({
  names,
  chosen,
  mayGrant,
  onChange,
}: {
  names: readonly string[]
  chosen: readonly string[]
  mayGrant: (name: string) => boolean
  onChange: (chosen: string[]) => void
}) => {
  const people = usePeopleWords()
  const apps = useAppWords()
  const { consent } = apps
  return (
    <ul className={styles.permissions}>
      {groupPermissions(names).flatMap(({ subject, permissions }) =>
        permissions.map((name) => (
          <li key={name}>
            <label className={styles.switch}>
              <input
                type="checkbox"
                role="switch"
                aria-checked={chosen.includes(name)}
                checked={chosen.includes(name)}
                disabled={!mayGrant(name)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
                }
              />
              <span>
                <strong>{subjectWord(people, subject)}</strong> {actionWord(people, name)}
                {!mayGrant(name) && <small>{consent.notYours}</small>}
              </span>
            </label>
            <span className={styles.risks}>
              <RiskBadge risk={riskOf(name)} />
            </span>
          </li>
        )),
      )}
    </ul>
  )
}
