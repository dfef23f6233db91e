import { useQuery } from '@tanstack/react-query'
import { Copy, Ellipsis, Trash2 } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ApiError } from '../../../../client/src/errors.ts'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { loadable } from '../../components/loadable.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { INVALID } from '../../components/Problem.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { SaveBar } from '../../components/SaveBar.tsx'
import { UnreadPage } from '../../components/UnreadPage.tsx'
import { useDelete } from '../../components/useDelete.ts'
import { useHotkeys } from '../../components/useHotkeys.ts'
import { useMessages } from '../../messages/messages.ts'
import { ConflictDialog } from './ConflictDialog.tsx'
import { DigitalFileField } from './DigitalFileField.tsx'
import { copyOf, type Draft, draftOf, emptyDraft, type Variant } from './draft.ts'
import { type Product, STATUS_TONES } from './labels.ts'
import { OptionsEditor } from './OptionsEditor.tsx'
import { titleOf, valueNames } from './options.ts'
import { Pictures } from './Pictures.tsx'
import styles from './ProductPage.module.css'
import type { Editing } from './save-product.ts'
import { Attributes, Basics, Organisation, Pricing, Related, SearchEngines, Section } from './sections.tsx'
import { useProductsTitle } from './title.ts'
import { useCategories } from './useCategories.ts'
import { useProductDraft } from './useProductDraft.ts'
import { useProductWords } from './words.ts'

const VariantGrid = loadable(() => import('./VariantGrid.tsx'))

const FORM = 'product'
const OWN_FIELDS = ['title', 'description', 'slug', 'page_title', 'meta_description', 'status', 'category_id']
const MAX_ROW_ERRORS = 5

type Edit = ReturnType<typeof useProductDraft>

/** Errors of the last attempt, on the fields, options and variants that they are about. */
const useErrors = ({ error, sent }: Edit) => {
  const messages = useMessages()
  return useMemo(() => {
    const fields = error === undefined ? {} : describeError(error, messages).fields
    const rows = new Map<string, Record<string, readonly string[]>>()
    const options = new Map<string, string[]>()
    const media = { images: new Map<number, string[]>(), ugc_videos: new Map<number, string[]>() }
    const shown = [...OWN_FIELDS]
    for (const [path, sentences] of Object.entries(fields)) {
      const [list, place = '', ...rest] = path.split('.')
      const option = list === 'options' ? sent?.options[Number(place)] : undefined
      const row = list === 'variants' ? sent?.rows[Number(place)] : list === 'default' ? sent?.rows[0] : undefined
      if ((list === 'images' || list === 'ugc_videos') && place !== '')
        media[list].set(Number(place), [...(media[list].get(Number(place)) ?? []), ...sentences])
      else if (option !== undefined) options.set(option, [...(options.get(option) ?? []), ...sentences])
      else if (row !== undefined)
        rows.set(row, { ...rows.get(row), [(list === 'default' ? place : rest[0]) || 'values']: sentences })
      else continue
      shown.push(path)
    }
    return { fields, rows, options, media, shown }
  }, [error, sent, messages])
}

/** The first rows that the API refused, with what it says. */
const FaultyRows = ({ draft, errors }: { draft: Draft; errors: ReturnType<typeof useErrors> }) => {
  if (errors.rows.size === 0) return null
  const names = valueNames(draft.options)
  const faulty = draft.variants.filter(({ key }) => errors.rows.has(key))
  return (
    <ul role="alert" className={styles.errors} {...INVALID}>
      {faulty.slice(0, MAX_ROW_ERRORS).map((row) => (
        <li key={row.key}>
          <strong dir="auto">{titleOf(names, row)}</strong>:{' '}
          {Object.values(errors.rows.get(row.key) ?? {})
            .flat()
            .join(', ')}
        </li>
      ))}
    </ul>
  )
}

const Variants = ({
  edit,
  errors,
  disabled,
}: {
  edit: Edit
  errors: ReturnType<typeof useErrors>
  disabled: boolean
}) => {
  const words = useProductWords()
  const { draft, change, type } = edit
  const [single] = draft.variants
  const setRows = useCallback(
    (next: (rows: readonly Variant[]) => readonly Variant[]) =>
      change(({ variants }) => ({ variants: next(variants) })),
    [change],
  )
  const typeRows = useCallback(
    (next: (rows: readonly Variant[]) => readonly Variant[]) => type(({ variants }) => ({ variants: next(variants) })),
    [type],
  )
  return (
    <>
      {draft.options.length === 0 && single && (
        <Pricing
          row={single}
          rowErrors={errors.rows.get(single.key)}
          onRow={(row) => change({ variants: [row] })}
          disabled={disabled}
        />
      )}
      {draft.options.length === 0 && single && draft.is_digital && (
        <Section title={words.file}>
          <DigitalFileField
            file={single.file}
            disabled={disabled}
            onChange={(file) => setRows((rows) => rows.map((row) => ({ ...row, file })))}
          />
        </Section>
      )}
      <Section title={words.options}>
        {draft.options.length === 0 && <p className={styles.help}>{words.optionsHelp}</p>}
        <OptionsEditor part={draft} onChange={change} errors={errors.options} disabled={disabled} />
      </Section>
      {draft.options.length > 0 && (
        <Section title={words.variants}>
          {!disabled && <p className={styles.help}>{words.variantsHelp}</p>}
          <FaultyRows draft={draft} errors={errors} />
          <VariantGrid part={draft} onChange={setRows} onType={typeRows} errors={errors.rows} disabled={disabled} />
        </Section>
      )}
    </>
  )
}

const Actions = ({ product, edit }: { product: Product; edit: Edit }) => {
  const words = useProductWords()
  const { controls } = useMessages()
  const { store, can } = useStore()
  const [, navigate] = useLocation()
  const deleteRows = useDelete()
  if (!can('product:create') && !can('product:delete')) return null
  const remove = async () => {
    const isHidden = await deleteRows({
      rows: [{ id: product.id, name: product.title }],
      read: async () => product,
      remove: (_id, { ifMatch }) => edit.remove(ifMatch),
      done: `${controls.labelled(words.deleted, product.title)}. ${words.deleteHelp}`,
      renew: edit.renew,
    })
    if (!isHidden) return
    edit.release()
    navigate(`/s/${store.id}/products`)
  }
  return (
    <Menu trigger={<Button icon={<Ellipsis />} aria-label={controls.more} />}>
      {can('product:create') && (
        <MenuItem icon={<Copy />} onSelect={() => navigate(`/s/${store.id}/products/new?copy=${product.id}`)}>
          {words.duplicate}
        </MenuItem>
      )}
      {can('product:delete') && (
        <MenuItem icon={<Trash2 />} danger onSelect={remove}>
          {words.deleteProduct}
        </MenuItem>
      )}
    </Menu>
  )
}

const ProductEditor = ({ initial }: { initial: Editing }) => {
  const words = useProductWords()
  const { controls } = useMessages()
  const title = useProductsTitle()
  const { store, can } = useStore()
  const [, navigate] = useLocation()
  const edit = useProductDraft(initial)
  const { product, draft, isDirty, busy, conflict } = edit
  const errors = useErrors(edit)
  const categories = useCategories()
  const disabled = !can(product ? 'product:update' : 'product:create')
  const submit = async () => {
    if (busy || (product && !edit.isDirtyNow())) return
    const saved = await edit.save()
    if (saved && !product) navigate(`/s/${store.id}/products/${saved.id}`, { replace: true })
  }
  useHotkeys({ 'mod+s': submit })
  usePageKeys([['Ctrl S', controls.save]])
  const { change } = edit
  const setImages = useCallback(
    (next: (images: Draft['images']) => Draft['images']) => change(({ images }) => ({ images: next(images) })),
    [change],
  )
  const setVideos = useCallback(
    (next: (videos: Draft['videos']) => Draft['videos']) => change(({ videos }) => ({ videos: next(videos) })),
    [change],
  )
  const section = { draft, change: edit.change, errors: errors.fields, disabled }
  return (
    <Page
      title={product ? <span dir="auto">{product.title}</span> : words.new}
      name={product?.title ?? words.new}
      back={{ href: `/s/${store.id}/products`, label: title }}
      badges={product && <Badge tone={STATUS_TONES[product.status]}>{words.statuses[product.status]}</Badge>}
      actions={product && <Actions product={product} edit={edit} />}
    >
      <form
        id={FORM}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className={styles.columns}>
          <div className={styles.column}>
            <Surface>
              <Basics {...section} />
              <Section title={words.pictures}>
                <Pictures
                  kind="picture"
                  pictures={draft.images}
                  onChange={setImages}
                  errors={errors.media.images}
                  disabled={disabled}
                />
              </Section>
              <Section title={words.videos}>
                <Pictures
                  kind="video"
                  pictures={draft.videos}
                  onChange={setVideos}
                  errors={errors.media.ugc_videos}
                  disabled={disabled}
                />
              </Section>
            </Surface>
            <Surface>
              <Variants edit={edit} errors={errors} disabled={disabled} />
            </Surface>
            <Surface>
              <Attributes {...section} />
              <SearchEngines {...section} />
            </Surface>
          </div>
          <Surface>
            <Organisation {...section} />
            {product && <Related id={product.id} />}
          </Surface>
        </div>
      </form>
      {(isDirty || busy || edit.error !== undefined) && !disabled && (
        <SaveBar
          form={FORM}
          busy={busy}
          error={edit.error}
          shown={errors.shown}
          labels={{
            images: words.pictures,
            ugc_videos: words.videos,
            options: words.options,
            variants: words.variants,
          }}
          onDiscard={edit.discard}
        />
      )}
      {conflict && (
        <ConflictDialog
          conflict={conflict}
          categories={categories}
          onClose={edit.closeConflict}
          onResolve={(merged) => edit.resolve(conflict, merged)}
        />
      )}
    </Page>
  )
}

const NEW: Editing = (() => {
  const draft = emptyDraft()
  return { base: draft, draft }
})()

/** The product of the address, a new one, or a copy of another. */
const ProductPage = () => {
  const { id } = useParams<{ id?: string }>()
  const copied = new URLSearchParams(useSearch()).get('copy')
  const words = useProductWords()
  const { controls } = useMessages()
  const title = useProductsTitle()
  const { store, client } = useStore()
  const source = id ?? copied
  const asked = useQuery({
    queryKey: [store.id, 'products', 'one', source],
    queryFn: ({ signal }) => client.products.get(source as string, { signal }),
    enabled: source !== null,
    // The client knows the version of the very object that it gave.
    structuralSharing: false,
    refetchInterval: 30_000,
  })
  const { data: product, error } = asked
  const initial = useMemo((): Editing | undefined => {
    if (source === null) return NEW
    if (!product) return undefined
    const draft = draftOf(product)
    return id ? { product, base: draft, draft } : { base: NEW.base, draft: copyOf(draft, words.copyOf(product.title)) }
  }, [product, source, id, words])
  if (initial) return <ProductEditor key={source} initial={initial} />
  if (error instanceof ApiError && error.status === 404)
    return (
      <Empty isPage title={controls.notFound}>
        {controls.notFoundHelp}
      </Empty>
    )
  return <UnreadPage title={words.product} back={{ href: `/s/${store.id}/products`, label: title }} query={asked} />
}

export default ProductPage
