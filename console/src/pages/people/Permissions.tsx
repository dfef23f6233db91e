import { useId } from 'react'
import { CATALOGUE, PERMISSIONS, type Permission } from '../../../../src/resources/permissions/catalogue.ts'
import styles from './PeoplePage.module.css'
import { usePeopleWords } from './words.ts'

type Subject = keyof typeof CATALOGUE

const READING = PERMISSIONS.filter((name) => /:(view|browse)$/.test(name))

const PRESETS = {
  nothing: [],
  read: READING,
  orders: PERMISSIONS.filter((name) =>
    /^(order|customer):(?!delete)|^(product|shipping|payment_method):view$/.test(name),
  ),
  all: PERMISSIONS,
} as const satisfies Record<string, readonly Permission[]>

/** All permissions by what they are about, in plain words, and a few sets to start from. */
export const Permissions = ({
  chosen,
  errors,
  onChange,
}: {
  chosen: readonly string[]
  errors: readonly string[] | undefined
  onChange: (chosen: Permission[]) => void
}) => {
  const words = usePeopleWords()
  const helpId = useId()
  const set = (names: readonly string[], on: boolean) =>
    onChange(PERMISSIONS.filter((name) => (names.includes(name) ? on : chosen.includes(name))))
  return (
    <fieldset className={styles.permissions}>
      <legend>{words.permissions}</legend>
      <p className={styles.presets}>
        <span>{words.presets}:</span>
        {(Object.keys(PRESETS) as (keyof typeof PRESETS)[]).map((name) => (
          <button key={name} type="button" onClick={() => onChange([...PRESETS[name]])}>
            {words.preset[name]}
          </button>
        ))}
      </p>
      {errors && errors.length > 0 && <p className={styles.error}>{errors.join(', ')}</p>}
      <ul>
        {(Object.entries(CATALOGUE) as [Subject, readonly string[]][]).map(([subject, actions]) => (
          <li key={subject} className={styles.subject}>
            <span>{words.subjects[subject]}</span>
            <div className={styles.choices}>
              {actions.map((action) => {
                const name = `${subject}:${action}`
                return (
                  <label key={action}>
                    <input
                      type="checkbox"
                      checked={chosen.includes(name)}
                      aria-describedby={name === 'customer:view' ? helpId : undefined}
                      onChange={({ target }) => set([name], target.checked)}
                    />
                    <span className="hidden">{words.subjects[subject]}: </span>
                    {words.actions[action as keyof typeof words.actions]}
                  </label>
                )
              })}
              {subject === 'customer' && <small id={helpId}>{words.customerViewHelp}</small>}
            </div>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
