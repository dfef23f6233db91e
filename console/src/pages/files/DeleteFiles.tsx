import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_LINKS_OF_EACH, MAX_UNUSED } from '../../../../src/resources/files/limits.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import { type ReadAll, useMatching } from '../../components/change-many/useMatching.ts'
import { Dialog } from '../../components/Dialog.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useFailure, useHeldDeletion } from '../../components/useDelete.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { useDeletionWords } from './deletion-words.ts'
import styles from './FilesPage.module.css'
import { type StoredFile, useSize } from './file-look.tsx'
import { useFileWords } from './words.ts'

type Row = Pick<StoredFile, 'id' | 'name' | 'size'>
type Line = Awaited<ReturnType<Client['files']['deleteUnusedFiles']>>[number]

/** As many as a page that is being closed can still send: browsers take 64 kB. */
const MAX_AT_ONCE = 5 * MAX_UNUSED
const MAX_PREVIEW = 50

const rowOf = ({ id, name, size }: StoredFile): Row => ({ id, name, size })

const partsOf = <T,>(rows: readonly T[]) =>
  Array.from({ length: Math.ceil(rows.length / MAX_UNUSED) }, (_, part) =>
    rows.slice(part * MAX_UNUSED, (part + 1) * MAX_UNUSED),
  )

/** The unused ones among those that match. */
const readUnused = (client: Client): ReadAll<StoredFile> =>
  async function* (query, options) {
    let count = 0
    for await (const file of client.files.all({ ...query, linked: false }, options)) {
      if (count++ === MAX_AT_ONCE) return
      yield file
    }
  }

/** What would become of these files. */
const usePreview = (rows: readonly Row[], isComplete: boolean) => {
  const { store, client } = useStore()
  return useQuery({
    queryKey: [store.id, 'files', 'deletion', rows.map(({ id }) => id)],
    enabled: isComplete,
    queryFn: async ({ signal }) => {
      const lines: Line[] = []
      for (const part of partsOf(rows)) {
        const file_ids = part.map(({ id }) => id)
        lines.push(...(await client.files.deleteUnusedFiles({ file_ids }, { dryRun: true, signal })))
      }
      return new Map(lines.map((line) => [line.id, line]))
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

const WhatHappens = ({ line }: { line: Line }) => {
  const files = useFileWords()
  const words = useDeletionWords()
  if (line.result === 'deleted') return words.goes
  if (line.result === 'not_found') return words.gone
  return (
    <>
      {words.stays}
      {line.links.map((link) => (
        <small key={`${link.fileable_id} ${link.role}`}>
          {files.roles[link.role]}: <bdi>{link.title}</bdi>
        </small>
      ))}
      {line.links.length === MAX_LINKS_OF_EACH && <small>{words.more}</small>}
    </>
  )
}

/** Deletes those of the chosen files, or of all that match the filters, that nothing uses. */
export const DeleteFiles = ({ chosen, matching, done, onClose }: Changing<StoredFile> & { onClose: () => void }) => {
  const words = useDeletionWords()
  const { controls } = useMessages()
  const { locale } = useWords()
  const { store, client } = useStore()
  const queries = useQueryClient()
  const size = useSize()
  const hold = useHeldDeletion()
  const failureOf = useFailure()
  const [all, setAll] = useState(false)
  const whole = useMatching(matching, all, readUnused(client), rowOf)
  const rows = all ? whole.found : chosen.slice(0, MAX_AT_ONCE).map(rowOf)
  const isComplete = !all || whole.complete
  const { data: lines, error } = usePreview(rows, isComplete)
  const number = (value: number) => numberFormat(locale).format(value)
  const going = rows.filter(({ id }) => lines?.get(id)?.result === 'deleted')
  const kept = all ? matching.total - going.length : rows.filter(({ id }) => lines?.get(id)?.result === 'in_use').length
  const isCut = all ? whole.found.length === MAX_AT_ONCE : chosen.length > MAX_AT_ONCE
  const shown = [going, rows.filter((row) => !going.includes(row))].map((some) => some.slice(0, MAX_PREVIEW))

  const send = async (rows: readonly { id: string; name: string }[]) => {
    const sendPart = async (part: typeof rows) => {
      try {
        const sent = await client.files.deleteUnusedFiles({ file_ids: part.map(({ id }) => id) }, { keepalive: true })
        const used = new Set(sent.filter(({ result }) => result === 'in_use').map(({ id }) => id))
        return part.filter(({ id }) => used.has(id)).map((row) => ({ row, reason: words.inUse, isUnanswered: false }))
      } catch (error) {
        return part.map((row) => ({ row, ...failureOf(error) }))
      }
    }
    return (await Promise.all(partsOf(rows).map(sendPart))).flat()
  }
  const run = () => {
    const isHidden = hold({
      rows: going,
      send,
      done: controls.deletedCount(going.length),
      renew: () => queries.invalidateQueries({ queryKey: [store.id, 'files'] }),
    })
    if (!isHidden) return
    done(chosen.filter((file) => lines?.get(file.id)?.result === 'in_use'))
    onClose()
  }
  const summary = () => {
    if (!isComplete) return words.reading(number(whole.found.length))
    if (!lines) return words.checking
    const bytes = going.reduce((sum, { size }) => sum + size, 0)
    const total = all ? matching.total : rows.length
    return [
      going.length === 0 ? words.none : words.summary(number(going.length), number(total), size(bytes)),
      ...(kept > 0 && !(all && isCut) ? [words.kept(kept)] : []),
      ...(isCut ? [words.atMost(number(MAX_AT_ONCE))] : []),
      ...(going.length > MAX_PREVIEW ? [words.first(number(MAX_PREVIEW))] : []),
    ].join(' ')
  }
  return (
    <Dialog
      wide
      title={words.title}
      onClose={onClose}
      onSubmit={() => going.length > 0 && run()}
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button kind="danger" type="submit" disabled={going.length === 0}>
            {words.act(going.length)}
          </Button>
        </>
      }
    >
      <Problem error={error ?? whole.error} />
      {matching.total > chosen.length && matching.query.linked !== 'true' && (
        <SelectField
          label={words.scope}
          choices={[
            { value: '', label: words.chosen(number(chosen.length)) },
            { value: 'all', label: words.matching(number(matching.total)) },
          ]}
          value={all ? 'all' : ''}
          onChange={({ target }) => setAll(target.value === 'all')}
        />
      )}
      {!error && !whole.error && <p role="status">{summary()}</p>}
      {lines && (
        <ul className={`${styles.uses} ${styles.fates}`} aria-label={words.what}>
          {shown.flat().map(({ id, name, size: bytes }) => {
            const line = lines.get(id)
            return (
              <li key={id}>
                <div>
                  <bdi>{name}</bdi>
                  <small>
                    <bdi>{size(bytes)}</bdi>
                  </small>
                </div>
                <div>{line && <WhatHappens line={line} />}</div>
              </li>
            )
          })}
        </ul>
      )}
    </Dialog>
  )
}
