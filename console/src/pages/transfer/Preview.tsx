import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import type { CsvResource } from '../../../../src/resources/bulk/csv/read.ts'
import type { CsvLine } from '../../../../src/resources/bulk/csv/row.ts'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { TableBox } from '../../components/TableBox.tsx'
import { useMessages, useWords } from '../../messages/messages.ts'
import { type Change, changesOf } from './compare.ts'
import type { Taken } from './results.ts'
import styles from './Transfer.module.css'
import { useTransferWords } from './words.ts'

const MAX_CHANGES = 6

const Changes = ({ changes }: { changes: readonly Change[] }) => {
  const words = useTransferWords()
  const { controls } = useMessages()
  return (
    <ul>
      {changes.slice(0, MAX_CHANGES).map(({ of, field, before, after }) => (
        <li key={`${of} ${field}`} className={styles.change}>
          <span>
            {of && <bdi>{of}, </bdi>}
            {controls.labelled(words.fields[field] ?? field, '')}
          </span>{' '}
          <bdi>{before || words.nothing}</bdi> <ArrowRight className="pointing" aria-label="→" role="img" />{' '}
          <bdi>{after || words.nothing}</bdi>
        </li>
      ))}
      {changes.length > MAX_CHANGES && <li>…</li>}
    </ul>
  )
}

interface PreviewProps {
  resource: CsvResource
  taken: readonly Taken[]
  lines: ReadonlyMap<number, CsvLine['fields']>
}

/** The first lines, before and after. */
export const Preview = ({ resource, taken, lines }: PreviewProps) => {
  const words = useTransferWords()
  const { locale } = useWords()
  const { store, client } = useStore()
  const updated = taken.filter(({ status }) => status === 'updated').map(({ id }) => id)
  const { data: now } = useQuery({
    queryKey: [store.id, 'bulk', 'compared', resource, updated],
    queryFn: async ({ signal }) => {
      const get = resource === 'product' ? client.products.get : client.customers.get
      const rows = await Promise.all(updated.map((id) => get(id, { signal })))
      return new Map(rows.map((row) => [row.id, row]))
    },
    staleTime: 0,
  })
  if (taken.length === 0) return null
  return (
    <div className={styles.part}>
      <h2>{words.preview}</h2>
      <p className={styles.help}>{words.first(taken.length)}</p>
      <TableBox title={words.preview} head={[words.row, words.name, words.change]} styles={styles}>
        {taken.map(({ line, status, id }) => {
          const fields = lines.get(line) ?? {}
          const row = now?.get(id)
          const changes = row && changesOf(fields, row, words.fields, { locale, currency: store.currency })
          const name = fields.title ?? fields.name ?? fields.email ?? (row && 'title' in row ? row.title : fields.sku)
          return (
            <tr key={line}>
              <td>{line}</td>
              <th scope="row">
                <bdi>{String(name ?? '–')}</bdi>
              </th>
              <td>
                {status === 'created' && <Badge tone="good">{words.isNew}</Badge>}
                {changes && changes.length === 0 && <Badge>{words.isSame}</Badge>}
                {changes && changes.length > 0 && <Changes changes={changes} />}
              </td>
            </tr>
          )
        })}
      </TableBox>
    </div>
  )
}
