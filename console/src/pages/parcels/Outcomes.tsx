import { ArrowRight } from 'lucide-react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { TableBox } from '../../components/TableBox.tsx'
import styles from './Parcels.module.css'
import type { Line } from './results-file.ts'
import type { Outcome } from './useResults.ts'
import { useParcelWords, type WORDS } from './words.ts'

const MAX_SHOWN = 100

/** The API's sentences, in the language of the page. */
const REFUSALS: readonly [RegExp, keyof (typeof WORDS)['en']['refusals']][] = [
  [/no parcel/, 'unknown'],
  [/several parcels/, 'several'],
  [/cancelled delivery/, 'cancelled'],
  [/sent back/, 'sentBack'],
  [/another line/, 'twice'],
]

export const isRefused = ({ errors }: Outcome) => Object.keys(errors).length > 0
export const isChanged = (outcome: Outcome) => !isRefused(outcome) && outcome.previous_state !== outcome.state

const useRefusal = () => {
  const words = useParcelWords()
  return ({ errors }: Outcome) => {
    const [sentence = ''] = Object.values(errors).flat()
    const [, known] = REFUSALS.find(([pattern]) => pattern.test(sentence)) ?? []
    return known ? words.refusals[known] : sentence
  }
}

const OrderLink = ({ outcome }: { outcome: Outcome }) => {
  const { store } = useStore()
  if (!outcome.order_id) return null
  return (
    <Link className={styles.link} href={`/s/${store.id}/orders/${outcome.order_id}`}>
      <Ltr>{outcome.order_ref}</Ltr>
    </Link>
  )
}

interface OutcomesProps {
  lines: readonly Line[]
  outcomes: readonly Outcome[]
  /** Rows of the file that contradict an earlier one: they are not sent. */
  contrary: readonly Line[]
}

/** How many rows change something, which have problems, and the first of them. */
export const Outcomes = ({ lines, outcomes, contrary }: OutcomesProps) => {
  const words = useParcelWords()
  const refusalOf = useRefusal()
  const shown = outcomes.map((outcome, place) => ({ outcome, line: lines[place] as Line }))
  const refused = [
    ...shown
      .filter(({ outcome }) => isRefused(outcome))
      .map(({ outcome, line }) => ({ line, outcome, problem: refusalOf(outcome) })),
    ...contrary.map((line) => ({ line, outcome: undefined, problem: words.refusals.twice })),
  ]
  const changed = shown.filter(({ outcome }) => isChanged(outcome))
  const same = outcomes.length - changed.length - (refused.length - contrary.length)
  return (
    <>
      <p className={styles.counts} role="status">
        <span data-tone="good">{words.changes(changed.length)}</span>
        {same > 0 && <span>{words.same(same)}</span>}
        {refused.length > 0 && <span data-tone="bad">{words.refused(refused.length)}</span>}
      </p>
      {refused.length > 0 && (
        <TableBox title={words.problem} head={[words.row, words.number, words.problem]} styles={styles}>
          {refused.slice(0, MAX_SHOWN).map(({ line, outcome, problem }) => (
            <tr key={line.row}>
              <td>{line.row}</td>
              <th scope="row">
                <Ltr>{line.tracking_number}</Ltr>
              </th>
              <td>
                {problem} {outcome && <OrderLink outcome={outcome} />}
              </td>
            </tr>
          ))}
        </TableBox>
      )}
      {changed.length > 0 && (
        <TableBox title={words.preview} head={[words.row, words.number, words.order, words.state]} styles={styles}>
          {changed.slice(0, MAX_SHOWN).map(({ line, outcome }) => (
            <tr key={line.row}>
              <td>{line.row}</td>
              <th scope="row">
                <Ltr>{line.tracking_number}</Ltr>
              </th>
              <td>
                <OrderLink outcome={outcome} />
              </td>
              <td className={styles.change}>
                {outcome.previous_state && words.states[outcome.previous_state]}{' '}
                <ArrowRight className="pointing" aria-label="→" role="img" />{' '}
                {outcome.state && words.states[outcome.state]}
              </td>
            </tr>
          ))}
        </TableBox>
      )}
      {Math.max(changed.length, refused.length) > MAX_SHOWN && (
        <p className={styles.help}>{words.firstRows(MAX_SHOWN)}</p>
      )}
    </>
  )
}
