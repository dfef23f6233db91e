import type { CsvFormat, CsvResource } from '../../../../src/resources/bulk/csv/read.ts'
import { READERS } from '../../../../src/resources/bulk/csv/read.ts'
import { SelectField } from '../../components/Field.tsx'
import { TableBox } from '../../components/TableBox.tsx'
import type { OpenedFile } from './read-file.ts'
import styles from './Transfer.module.css'
import { useTransferWords } from './words.ts'

/** `option2_value` is not in the words: it has a number. */
const useLabels = () => {
  const words = useTransferWords()
  return (column: string, format: CsvFormat) => {
    if (format !== 'own') return column
    const [, number, part] = /^option(\d)_(name|value)$/.exec(column) ?? []
    if (number) return part === 'name' ? words.option(number) : words.optionValue(number)
    return words.fields[column] ?? column
  }
}

interface ColumnsProps {
  opened: OpenedFile
  resource: CsvResource
  format: CsvFormat
  columns: readonly (string | undefined)[]
  onChange: (columns: readonly (string | undefined)[]) => void
}

/** What each column of the file is. */
export const Columns = ({ opened, resource, format, columns, onChange }: ColumnsProps) => {
  const words = useTransferWords()
  const labelOf = useLabels()
  const choices = [
    { value: '', label: words.leaveOut },
    ...READERS[resource][format].columns.map((column) => ({ value: column, label: labelOf(column, format) })),
  ]
  return (
    <div className={styles.part}>
      <h2>{words.columns}</h2>
      <p className={styles.help}>{words.columnsHelp}</p>
      <TableBox title={words.columns} head={[words.column, words.example, words.meaning]} styles={styles}>
        {opened.headers.map((header, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a file may name two columns alike.
          <tr key={place}>
            <th scope="row">
              <bdi>{header || '–'}</bdi>
            </th>
            <td className={styles.example}>
              <bdi>{opened.examples[place] || '–'}</bdi>
            </td>
            <td>
              <SelectField
                label={`${words.meaning}: ${header}`}
                hideLabel
                choices={choices}
                value={columns[place] ?? ''}
                onChange={({ target }) =>
                  onChange(columns.map((column, n) => (n === place ? target.value || undefined : column)))
                }
              />
            </td>
          </tr>
        ))}
      </TableBox>
    </div>
  )
}
