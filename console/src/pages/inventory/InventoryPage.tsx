import { Boxes, ClipboardPaste } from 'lucide-react'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { SearchField } from '../../components/ListFilters.tsx'
import list from '../../components/ListPage.module.css'
import { Loaded } from '../../components/Loaded.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Pager } from '../../components/Pager.tsx'
import { Problem } from '../../components/Problem.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { SavedViews } from '../../components/SavedViews.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useHotkeys } from '../../components/useHotkeys.ts'
import { useRowKeys } from '../../components/useRowKeys.ts'
import { useUnsaved } from '../../components/useUnsaved.ts'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import { Grid } from './Grid.tsx'
import HistoryDialog from './HistoryDialog.tsx'
import styles from './Inventory.module.css'
import { isApplied, isWhole, type Level, refusalOf, type StockLine } from './levels.ts'
import PasteDialog from './PasteDialog.tsx'
import { Selected } from './Selected.tsx'
import { useInventoryTitle } from './title.ts'
import { type Row, useRows } from './useRows.ts'
import { useStock } from './useStock.ts'
import { useInventoryWords } from './words.ts'

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>()

/** What is typed and not saved, by variant, and why some of it was refused. */
const useDifferences = () => {
  const words = useInventoryWords()
  const toast = useToast()
  const [given, setGiven] = useState<ReadonlyMap<string, string>>(NOTHING)
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(NOTHING)
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const stock = useStock()
  const isWrong = [...given.values()].some((text) => text.trim() !== '' && !isWhole(text))
  const lines = [...given].flatMap(([variant_id, text]): StockLine[] =>
    isWhole(text) && Number(text) !== 0
      ? [{ variant_id, delta: Number(text), ...(reason.trim() && { reason: reason.trim() }) }]
      : [],
  )
  const forget = () => {
    setGiven(NOTHING)
    setRefused(NOTHING)
    setReason('')
    setError(undefined)
  }
  const save = async () => {
    if (busy || isWrong || lines.length === 0) return
    setBusy(true)
    setError(undefined)
    setRefused(NOTHING)
    let problems: [string, string][] = []
    try {
      await stock.apply(lines, (part, levels) => {
        problems = levels.flatMap((level, place): [string, string][] => {
          const refusal = refusalOf(level, words)
          return refusal === undefined ? [] : [[part[place]?.variant_id as string, refusal]]
        })
        const done = new Map(
          part.flatMap(({ variant_id, delta }, n) => (isApplied(levels[n] as Level) ? [[variant_id, delta]] : [])),
        )
        // What was typed meanwhile stays.
        setGiven((given) => new Map([...given].filter(([id, text]) => done.get(id) !== Number(text))))
      })
      setRefused(new Map(problems))
      if (problems.length === 0) setReason('')
      else toast(words.refused(problems.length), { bad: true })
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return {
    ...{ given, refused, reason, setReason, busy, error, isWrong, lines, forget, save, sent: stock.sent },
    set: (texts: readonly (readonly [variant: string, text: string])[]) => {
      setGiven((given) => new Map([...given, ...texts]))
      const typed = new Set(texts.map(([id]) => id))
      setRefused((refused) => new Map([...refused].filter(([id]) => !typed.has(id))))
    },
  }
}

const SaveDifferences = ({
  differences,
  elsewhere,
}: {
  differences: ReturnType<typeof useDifferences>
  /** How many of them are not on this page. */
  elsewhere: number
}) => {
  const words = useInventoryWords()
  const { locale } = useWords()
  const { lines, reason, setReason, busy, isWrong, error, sent, save, forget } = differences
  const number = (value: number) => numberFormat(locale).format(value)
  return (
    <div className={styles.save}>
      <Problem error={error} />
      <TextField
        label={words.reason}
        help={words.reasonHelp}
        maxLength={255}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <Button kind="primary" busy={busy} disabled={isWrong} onClick={save}>
        {words.save(lines.length)}
      </Button>
      <Button disabled={busy} onClick={forget}>
        {words.discard}
      </Button>
      <span role="status">
        {sent > 0
          ? words.saving(number(sent), number(sent + lines.length))
          : elsewhere > 0 && words.elsewhere(elsewhere)}
      </span>
    </div>
  )
}

/** The stock of all variants. What is typed is a difference, so that no order's units are lost. */
const InventoryPage = () => {
  const words = useInventoryWords()
  const title = useInventoryTitle()
  const { can } = useStore()
  const { change, path } = useAddress()
  const { query, rows, search, shown, sequence } = useRows()
  const differences = useDifferences()
  const { given, lines } = differences
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(NOTHING)
  const [pasting, setPasting] = useState(false)
  const [told, setTold] = useState<Row>()
  const canEdit = can('product:update')
  useUnsaved(() => lines.length > 0, { keptAt: path })
  usePageKeys([
    ...(canEdit
      ? ([
          ['p', words.keys.paste],
          ['↑ ↓', words.keys.cells],
        ] as const)
      : []),
  ])
  useHotkeys(canEdit ? { p: () => setPasting(true) } : {})

  const select = (rows: readonly Row[], on: boolean) =>
    setSelected((before) => {
      const next = new Map(before)
      for (const row of rows) {
        if (on) next.set(row.variant.id, row)
        else next.delete(row.variant.id)
      }
      return next
    })
  const [current, setCurrent] = useRowKeys({
    rows,
    toggle: canEdit ? (row: Row) => select([row], !selected.has(row.variant.id)) : undefined,
  })
  const matching = { total: query.data?.pagination.total ?? 0, query: query.data?.matching ?? {} }
  const isFiltered = search !== '' || shown !== 'all'
  const here = new Set(rows.map(({ variant }) => variant.id))
  return (
    <Page
      title={title}
      actions={
        canEdit && (
          <Button icon={<ClipboardPaste />} aria-keyshortcuts="p" onClick={() => setPasting(true)}>
            {words.paste}
          </Button>
        )
      }
    >
      <Surface>
        <SavedViews
          list="inventory"
          ready={!query.isPending}
          builtIn={[
            { name: words.filters.all, query: '' },
            { name: words.filters.out, query: 'show=out' },
            { name: words.filters.in, query: 'show=in' },
          ]}
        />
        <div className={list.filters}>
          <SearchField hint={words.searchHint} />
          <SelectField
            label={words.shown}
            hideLabel
            choices={Object.entries(words.filters).map(([value, label]) => ({ value, label }))}
            value={shown}
            onChange={({ target }) => change({ show: target.value === 'all' ? undefined : target.value })}
          />
          <SelectField
            label={words.sequence}
            hideLabel
            choices={Object.entries(words.sequences).map(([value, label]) => ({ value, label }))}
            value={sequence}
            onChange={({ target }) => change({ order: target.value === 'stock' ? undefined : target.value })}
          />
        </div>
        {selected.size > 0 && (
          <Selected
            key={JSON.stringify(matching.query)}
            rows={[...selected.values()]}
            matching={matching}
            isPart={selected.size < rows.length || matching.total > (query.data?.products.length ?? 0)}
            onFill={(variants, text) => {
              differences.set(variants.map((id) => [id, text]))
              setSelected(NOTHING)
            }}
            onClear={() => setSelected(NOTHING)}
          />
        )}
        {canEdit && <p className={styles.help}>{words.help}</p>}
        <Loaded query={query}>
          {rows.length === 0 ? (
            <Empty title={isFiltered ? words.noMatch : words.empty} icon={<Boxes />}>
              {isFiltered ? words.noMatchHelp : words.emptyHelp}
            </Empty>
          ) : (
            <Grid
              rows={rows}
              given={given}
              refused={differences.refused}
              selected={selected}
              current={current}
              onCurrent={setCurrent}
              canEdit={canEdit}
              onChange={differences.set}
              onSelect={select}
              onHistory={setTold}
            />
          )}
        </Loaded>
      </Surface>
      {lines.length > 0 && (
        <SaveDifferences
          differences={differences}
          elsewhere={lines.filter(({ variant_id }) => !here.has(variant_id as string)).length}
        />
      )}
      {query.data && (
        <Pager
          total={query.data.pagination.total ?? 0}
          shown={query.data.products.length}
          next={query.data.pagination.next_cursor}
        />
      )}
      {told && <HistoryDialog variant={told.variant.id} name={told.name} onClose={() => setTold(undefined)} />}
      {pasting && <PasteDialog onClose={() => setPasting(false)} />}
    </Page>
  )
}

export default InventoryPage
