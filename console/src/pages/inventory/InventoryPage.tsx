import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Boxes, ClipboardPaste, History } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Pager } from '../../components/Pager.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useCreate } from '../../components/useCreate.ts'
import { useUnsaved } from '../../components/useUnsaved.ts'
import { useMessages } from '../../messages/messages.ts'
import { type Product, type Variant, variantsOf } from '../products/labels.ts'
import HistoryDialog from './HistoryDialog.tsx'
import styles from './Inventory.module.css'
import { isWhole, refusalOf, type StockLine } from './levels.ts'
import PasteDialog from './PasteDialog.tsx'
import { useInventoryWords } from './words.ts'

const PAGE_SIZE = 50
const MIN_SEARCH = 2
const REFETCH_MS = 30_000
const FILTERS = { all: undefined, out: true, in: false } as const

interface Row {
  product: Product
  variant: Variant
  name: string
}

const inSequence = (variants: readonly Variant[], sequence: 'stock' | 'title') =>
  sequence === 'stock' ? [...variants].sort((one, other) => one.quantity - other.quantity) : variants

/** The page of products that the address asks for: by words, or else by exactly this SKU. */
const useRows = () => {
  const { store, client } = useStore()
  const { params } = useAddress()
  const search = params.get('search') ?? ''
  const shown = (params.get('show') ?? 'all') as keyof typeof FILTERS
  const sequence = params.get('order') === 'title' ? 'title' : 'stock'
  const cursor = params.get('cursor')
  const query = useQuery({
    queryKey: [store.id, 'products', 'inventory', search, shown, sequence, cursor],
    queryFn: async ({ signal }) => {
      const given = {
        order_by: sequence,
        order_direction: 'ASC',
        page_size: PAGE_SIZE,
        ...(FILTERS[shown] !== undefined && { out_of_stock: FILTERS[shown] }),
        ...(cursor && { cursor }),
      } as const
      const words = search.length >= MIN_SEARCH ? { search } : {}
      const found = await client.products.list({ ...given, ...words }, { signal })
      if (found.products.length > 0 || search === '') return found
      return client.products.list({ ...given, sku: search }, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  })
  const rows = (query.data?.products ?? [])
    .filter(({ stock_tracked }) => stock_tracked)
    .flatMap((product) =>
      inSequence(variantsOf(product), sequence).map((variant): Row => {
        const name = product.variants.length > 0 ? `${product.title} · ${variant.title}` : product.title
        return { product, variant, name }
      }),
    )
  return { query, rows, search, shown, sequence }
}

interface GridProps {
  rows: readonly Row[]
  given: ReadonlyMap<string, string>
  refused: ReadonlyMap<string, string>
  canEdit: boolean
  onChange: (variant: string, text: string) => void
  onHistory: (row: Row) => void
}

const Grid = ({ rows, given, refused, canEdit, onChange, onHistory }: GridProps) => {
  const words = useInventoryWords()
  const { shell } = useMessages()
  const { store } = useStore()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls by itself.
    <section className={styles.grid} tabIndex={0} aria-label={shell.inventory}>
      <table className={styles.table}>
        <caption className="hidden">{shell.inventory}</caption>
        <thead>
          <tr>
            <th scope="col">{words.variant}</th>
            <th scope="col">{words.stock}</th>
            {canEdit && <th scope="col">{words.difference}</th>}
            <th scope="col">{words.history}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { product, variant, name } = row
            const text = given.get(variant.id) ?? ''
            const problem =
              refused.get(variant.id) ?? (text.trim() !== '' && !isWhole(text) ? words.notNumber : undefined)
            return (
              <tr key={variant.id} data-low={variant.quantity <= 0 || undefined}>
                <th scope="row">
                  <Link href={`/s/${store.id}/products/${product.id}`}>
                    <bdi>{name}</bdi>
                  </Link>
                  {variant.sku && (
                    <small>
                      <Ltr>{variant.sku}</Ltr>
                    </small>
                  )}
                </th>
                <td>
                  {variant.quantity}
                  {isWhole(text) && Number(text) !== 0 && (
                    <small>
                      {words.after}: {variant.quantity + Number(text)}
                    </small>
                  )}
                </td>
                {canEdit && (
                  <td>
                    <TextField
                      label={words.differenceOf(name)}
                      hideLabel
                      dir="ltr"
                      inputMode="numeric"
                      placeholder="0"
                      value={text}
                      errors={problem === undefined ? undefined : [problem]}
                      onChange={({ target }) => onChange(variant.id, target.value)}
                    />
                  </td>
                )}
                <td>
                  <Button
                    kind="quiet"
                    icon={<History />}
                    aria-label={words.openHistory(name)}
                    onClick={() => onHistory(row)}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** The stock of all variants. What is typed is a difference, so that no order's units are lost. */
const InventoryPage = () => {
  const words = useInventoryWords()
  const { shell } = useMessages()
  const { store, client, can } = useStore()
  const { change } = useAddress()
  const queries = useQueryClient()
  const toast = useToast()
  const { query, rows, search, shown, sequence } = useRows()
  const [typed, setTyped] = useState(search)
  const [given, setGiven] = useState<ReadonlyMap<string, string>>(new Map())
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [pasting, setPasting] = useState(false)
  const [told, setTold] = useState<Row>()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const update = useCreate((stock: StockLine[], options) => client.stock.update({ stock }, {}, options))
  const canEdit = can('product:update')
  const lines = [...given].flatMap(([variant_id, text]): StockLine[] =>
    isWhole(text) && Number(text) !== 0
      ? [{ variant_id, delta: Number(text), ...(reason.trim() && { reason: reason.trim() }) }]
      : [],
  )
  const isWrong = [...given.values()].some((text) => text.trim() !== '' && !isWhole(text))
  useUnsaved(() => lines.length > 0)

  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'products'] })
  const set = (variant: string, text: string) => {
    setGiven((given) => new Map(given).set(variant, text))
    setRefused((refused) => new Map([...refused].filter(([id]) => id !== variant)))
  }
  const save = async () => {
    if (busy || isWrong || lines.length === 0) return
    setBusy(true)
    setError(undefined)
    try {
      const levels = await update(lines)
      const problems = levels.flatMap((level, place): [string, string][] => {
        const refusal = refusalOf(level, words)
        return refusal === undefined ? [] : [[lines[place]?.variant_id as string, refusal]]
      })
      await renew()
      setRefused(new Map(problems))
      setGiven((given) => new Map([...given].filter(([id]) => problems.some(([bad]) => bad === id))))
      if (problems.length === 0) setReason('')
      if (levels.length > problems.length) toast(words.changed(levels.length - problems.length))
      if (problems.length > 0) toast(words.refused(problems.length), { bad: true })
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Page
      title={shell.inventory}
      actions={
        canEdit && (
          <Button icon={<ClipboardPaste />} onClick={() => setPasting(true)}>
            {words.paste}
          </Button>
        )
      }
    >
      <Surface>
        <form
          className={styles.filters}
          onSubmit={(event) => {
            event.preventDefault()
            change({ search: typed.trim() })
          }}
        >
          <TextField
            label={words.searchHint}
            type="search"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <SelectField
            label={words.shown}
            choices={Object.entries(words.filters).map(([value, label]) => ({ value, label }))}
            value={shown}
            onChange={({ target }) => change({ show: target.value === 'all' ? undefined : target.value })}
          />
          <SelectField
            label={words.sequence}
            choices={Object.entries(words.sequences).map(([value, label]) => ({ value, label }))}
            value={sequence}
            onChange={({ target }) => change({ order: target.value === 'stock' ? undefined : target.value })}
          />
          <Button type="submit">{words.find}</Button>
        </form>
        {canEdit && <p className={styles.help}>{words.help}</p>}
        <Loaded query={query}>
          {rows.length === 0 ? (
            <Empty title={search ? words.noMatch : words.empty} icon={<Boxes />}>
              {search ? words.noMatchHelp : words.emptyHelp}
            </Empty>
          ) : (
            <Grid rows={rows} given={given} refused={refused} canEdit={canEdit} onChange={set} onHistory={setTold} />
          )}
        </Loaded>
      </Surface>
      {lines.length > 0 && (
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
          <Button
            disabled={busy}
            onClick={() => {
              setGiven(new Map())
              setRefused(new Map())
              setReason('')
            }}
          >
            {words.discard}
          </Button>
        </div>
      )}
      {query.data && (
        <Pager
          total={query.data.pagination.total ?? 0}
          shown={query.data.products.length}
          next={query.data.pagination.next_cursor}
        />
      )}
      {told && <HistoryDialog variant={told.variant.id} name={told.name} onClose={() => setTold(undefined)} />}
      {pasting && (
        <PasteDialog
          onDone={(changed) => {
            renew()
            toast(words.changed(changed))
          }}
          onClose={() => setPasting(false)}
        />
      )}
    </Page>
  )
}

export default InventoryPage
