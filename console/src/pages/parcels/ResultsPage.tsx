import { useQueryClient } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { RESULTS, type Result } from '../../../../src/resources/parcels/states.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { useCsvWords } from '../../components/csv-words.ts'
import { CheckField, SelectField } from '../../components/Field.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { reading } from '../../components/read-text.ts'
import { TableBox } from '../../components/TableBox.tsx'
import { DropZone } from '../../components/Uploads.tsx'
import { useUnsaved } from '../../components/useUnsaved.ts'
import { useCarriers } from '../orders/useCarriers.ts'
import { isChanged, Outcomes } from './Outcomes.tsx'
import styles from './Parcels.module.css'
import {
  type Chosen,
  columnOf,
  linesOf,
  MAX_BYTES,
  meaningOf,
  type ResultFile,
  readResultFile,
  textsOf,
} from './results-file.ts'
import { useDeliveriesTitle } from './title.ts'
import { useResults } from './useResults.ts'
import { useParcelWords } from './words.ts'

const guess = (file: ResultFile, number: number, result: number): Chosen => ({
  number,
  result,
  meanings: new Map(textsOf(file, result).map(([text]) => [text, meaningOf(text) ?? ''])),
})

/** What each text of the result column means. */
const Meanings = ({
  file,
  chosen,
  onChange,
}: {
  file: ResultFile
  chosen: Chosen
  onChange: (chosen: Chosen) => void
}) => {
  const words = useParcelWords()
  const texts = textsOf(file, chosen.result)
  if (texts.length === 0) return null
  return (
    <>
      <h2>{words.meaning}</h2>
      <TableBox title={words.meaning} styles={styles}>
        {texts.map(([text, rows]) => (
          <tr key={text}>
            <th scope="row">
              <bdi>{text}</bdi>
            </th>
            <td className={styles.help}>{words.rows(rows)}</td>
            <td>
              <SelectField
                label={words.meaningOf(text)}
                hideLabel
                choices={[
                  { value: '', label: words.leaveOut },
                  ...RESULTS.map((value) => ({ value, label: words.states[value] })),
                ]}
                value={chosen.meanings.get(text) ?? ''}
                onChange={({ target }) =>
                  onChange({
                    ...chosen,
                    meanings: new Map([...chosen.meanings, [text, target.value as Result | '']]),
                  })
                }
              />
            </td>
          </tr>
        ))}
      </TableBox>
    </>
  )
}

/** A file is chosen, its columns and words are checked, then what it would change, and then that is applied. */
const ResultsPage = () => {
  const words = useParcelWords()
  const title = useDeliveriesTitle()
  const csvWords = useCsvWords()
  const { store } = useStore()
  const queries = useQueryClient()
  const carriers = useCarriers()
  const [file, setFile] = useState<ResultFile>()
  const [chosen, setChosen] = useState<Chosen>()
  const [carrier, setCarrier] = useState('')
  const [restock, setRestock] = useState(false)
  const [step, setStep] = useState<'choose' | 'checked' | 'applied'>('choose')
  const [problem, setProblem] = useState<unknown>()
  const tried = useResults(true)
  const applied = useResults(false)
  const { release } = useUnsaved(() => file !== undefined && step !== 'applied')

  const { lines, contrary } = file && chosen ? linesOf(file, chosen) : { lines: [], contrary: [] }
  const options = { restock, ...(carrier && { carrier_id: carrier }) }
  const change = (act: () => void) => {
    act()
    tried.forget()
    applied.forget()
    setProblem(undefined)
    setStep('choose')
  }
  const open = async (given: File | undefined) => {
    if (!given) return
    change(() => setFile(undefined))
    if (given.size > MAX_BYTES) return setProblem(new Error(words.tooBig))
    try {
      const read = await reading(given, csvWords, () => readResultFile(given))
      if (!read) return setProblem(new Error(words.tooLong))
      setFile(read)
      setChosen(guess(read, columnOf(read.headers, 'number'), columnOf(read.headers, 'result')))
    } catch (error) {
      setProblem(error)
    }
  }
  const check = async () => {
    if (lines.length === 0) return setProblem(new Error(words.noRows))
    setProblem(undefined)
    tried.forget()
    if (await tried.send(lines, options)) setStep('checked')
  }
  const apply = async () => {
    if (!(await applied.send(lines, options))) return
    release()
    setStep('applied')
    for (const list of ['parcels', 'orders', 'order', 'home']) queries.invalidateQueries({ queryKey: [store.id, list] })
  }
  const count = tried.outcomes.filter(isChanged).length
  const columns = [
    { value: '-1', label: words.chooseColumn },
    ...(file?.headers ?? []).map((header, place) => ({ value: String(place), label: header || String(place + 1) })),
  ]
  const running = step === 'checked' ? applied : tried
  return (
    <Page title={words.import} back={{ href: `/s/${store.id}/deliveries`, label: title }}>
      <Surface padded>
        <div className={styles.part}>
          <p className={styles.help}>{words.importHelp}</p>
          {step !== 'applied' && (
            <DropZone
              accept=".csv,text/csv,text/tab-separated-values"
              hint={words.drop}
              choose={file ? words.otherFile : words.choose}
              help={words.dropHelp}
              onFiles={([given]) => open(given)}
            >
              {file && (
                <strong>
                  <bdi>{file.name}</bdi>
                </strong>
              )}
            </DropZone>
          )}
          {file && chosen && step === 'choose' && (
            <>
              <div className={styles.fields}>
                <SelectField
                  label={words.columnOfNumber}
                  choices={columns}
                  value={String(chosen.number)}
                  onChange={({ target }) => change(() => setChosen({ ...chosen, number: Number(target.value) }))}
                />
                <SelectField
                  label={words.columnOfResult}
                  choices={columns}
                  value={String(chosen.result)}
                  onChange={({ target }) => change(() => setChosen(guess(file, chosen.number, Number(target.value))))}
                />
                <SelectField
                  label={words.carrier}
                  choices={carriers.map((choice) => (choice.value ? choice : { ...choice, label: words.anyCarrier }))}
                  value={carrier}
                  onChange={({ target }) => change(() => setCarrier(target.value))}
                />
              </div>
              <Meanings file={file} chosen={chosen} onChange={(next) => change(() => setChosen(next))} />
              <CheckField label={words.restock} checked={restock} onChange={(on) => change(() => setRestock(on))} />
            </>
          )}
          <Problem error={problem ?? running.error} />
          {step === 'checked' && applied.error !== undefined && <p role="alert">{words.stopped}</p>}
          {running.busy && <p role="status">{words.checking(running.outcomes.length, lines.length)}</p>}
          {step === 'checked' && <Outcomes lines={lines} outcomes={tried.outcomes} contrary={contrary} />}
          {step === 'applied' && (
            <>
              <h2>{words.applied}</h2>
              <Outcomes lines={lines} outcomes={applied.outcomes} contrary={contrary} />
            </>
          )}
          {file && (
            <div className={styles.row}>
              {step === 'choose' && (
                <Button kind="primary" busy={tried.busy} onClick={check}>
                  {words.check}
                </Button>
              )}
              {step === 'checked' && (
                <>
                  <Button disabled={applied.busy} onClick={() => change(() => {})}>
                    {words.back}
                  </Button>
                  <Button kind="primary" busy={applied.busy} disabled={count === 0} onClick={apply}>
                    {words.apply(count)}
                  </Button>
                </>
              )}
              {step === 'applied' && (
                <Button icon={<FileUp />} onClick={() => change(() => setFile(undefined))}>
                  {words.again}
                </Button>
              )}
            </div>
          )}
        </div>
      </Surface>
    </Page>
  )
}

export default ResultsPage
