import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, ExternalLink, EyeOff, Send, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { ApiError } from '../../../../client/src/errors.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { AreaField, SelectField, TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Money } from '../../components/Money.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { SaveBar } from '../../components/SaveBar.tsx'
import { useToast } from '../../components/Toast.tsx'
import { UnreadPage } from '../../components/UnreadPage.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useDelete } from '../../components/useDelete.ts'
import { useForm } from '../../components/useForm.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { languageChoices } from '../../messages/names.ts'
import styles from './LandingPagePage.module.css'
import { PagePicture } from './PagePicture.tsx'
import { chosenOf, ProductPicker } from './ProductPicker.tsx'
import { readable } from './readable-url.ts'
import { useLandingPagesTitle } from './title.ts'
import { useFigures } from './useFigures.ts'
import { useLandingPageWords } from './words.ts'

export type LandingPage = Awaited<ReturnType<Client['landingPages']['get']>>

const FIELDS = [
  'title',
  'slug',
  'product_id',
  'domain_id',
  'meta_description',
  'screenshot_url',
  'lang',
  'cod_type',
] as const
const NULLABLE = ['domain_id', 'meta_description', 'screenshot_url', 'lang']

type Values = Record<(typeof FIELDS)[number], string>

const valuesOf = (page: LandingPage | undefined): Values => ({
  title: page?.title ?? '',
  slug: page?.slug ?? '',
  product_id: page?.product_id ?? '',
  domain_id: page?.domain_id ?? '',
  meta_description: page?.meta_description ?? '',
  screenshot_url: page?.screenshot_url ?? '',
  lang: page?.lang ?? '',
  cod_type: page?.cod_type ?? 'checkout',
})

const bodyOf = (values: Partial<Values>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, NULLABLE.includes(name) ? value.trim() || null : value]),
  ) as Parameters<Client['landingPages']['update']>[1]

const useDomains = () => {
  const { store, client, can } = useStore()
  const { data } = useQuery({
    queryKey: [store.id, 'domains'],
    enabled: can('domain:view'),
    queryFn: async ({ signal }) =>
      (await client.domains.list({ page_size: 200, order_direction: 'ASC' }, { signal })).domains,
  })
  return data ?? []
}

const PageForm = ({ page, onReload }: { page?: LandingPage | undefined; onReload: () => unknown }) => {
  const words = useLandingPageWords()
  const { store, client, can } = useStore()
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const toast = useToast()
  const { locale } = useWords()
  const domains = useDomains()
  const id = useId()
  const [product, setProduct] = useState(page && chosenOf(page.product))
  const [made, setMade] = useState<string>()
  const create = useCreate(client.landingPages.create, (made: LandingPage, body) =>
    client.landingPages.update(made.id, body),
  )
  const saveForm = async (changes: Partial<Values>, { slug, ...values }: Values, newest: LandingPage | undefined) => {
    if (page) {
      const saved = await client.landingPages.update(page.id, bodyOf(changes), { ifMatch: newest ?? page })
      queries.setQueryData([store.id, 'landing-page', page.id], saved)
    } else {
      const body = {
        ...bodyOf({ ...values, ...(slug && { slug }) }),
        title: values.title,
        product_id: values.product_id,
      }
      setMade((await create(body)).id)
    }
    await queries.invalidateQueries({ queryKey: [store.id, 'landing-pages'], refetchType: page ? 'none' : 'active' })
  }
  const race = page && { read: () => client.landingPages.get(page.id), valuesOf }
  const form = useForm(valuesOf(page), saveForm, race)
  const submit = async () => {
    if (!(await form.submit())) return
    toast(page ? words.saved : words.createdDone)
  }
  // Once the form is clean: leaving it asks nothing.
  if (made && !form.isDirty) {
    setMade(undefined)
    queueMicrotask(() => navigate(`/s/${store.id}/landing-pages/${made}`, { replace: true }))
  }
  const disabled = !can(page ? 'landing_page:update' : 'landing_page:create')
  return (
    <>
      <form
        id={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Surface padded>
          <h2>{words.settings}</h2>
          <TextField label={words.name} maxLength={255} dir="auto" disabled={disabled} {...form.field('title')} />
          <ProductPicker
            chosen={product}
            disabled={disabled || !can('product:view')}
            errors={form.field('product_id').errors}
            onChoose={(chosen) => {
              setProduct(chosen)
              form.set({ product_id: chosen.id })
            }}
          />
          <div className={styles.pair}>
            <TextField
              label={words.slug}
              help={words.slugHelp}
              dir="ltr"
              maxLength={120}
              disabled={disabled}
              {...form.field('slug')}
            />
            <SelectField
              label={words.domain}
              disabled={disabled}
              choices={[
                { value: '', label: words.storeDomain },
                ...domains.map(({ id, unicode_host }) => ({ value: id, label: unicode_host })),
              ]}
              {...form.field('domain_id')}
            />
            <SelectField
              label={words.kind}
              disabled={disabled}
              choices={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
              {...form.field('cod_type')}
            />
            <SelectField
              label={words.language}
              choices={[{ value: '', label: words.storeLanguage }, ...languageChoices(locale, page?.lang ?? '')]}
              disabled={disabled}
              {...form.field('lang')}
            />
          </div>
          <AreaField
            label={words.description}
            rows={3}
            maxLength={1000}
            dir="auto"
            disabled={disabled}
            {...form.field('meta_description')}
          />
          <PagePicture
            address={form.field('screenshot_url').value}
            errors={form.field('screenshot_url').errors}
            disabled={disabled}
            page={page?.id}
            product={product?.id}
            onChange={(screenshot_url) => form.set({ screenshot_url })}
          />
        </Surface>
      </form>
      {form.isDirty && (
        <SaveBar
          form={id}
          busy={form.busy}
          error={form.error}
          shown={FIELDS}
          onReload={onReload}
          onDiscard={() => {
            form.reset()
            setProduct(page && chosenOf(page.product))
          }}
        />
      )}
    </>
  )
}

const Figures = ({ page }: { page: LandingPage }) => {
  const words = useLandingPageWords()
  const { locale } = useWords()
  const { store, can } = useStore()
  const figures = useFigures()?.get(page.id)
  const number = (value: number) => numberFormat(locale).format(value)
  const orders = `/s/${store.id}/orders?landing_page_id=${page.id}`
  return (
    <Surface padded>
      {page.published_at && (
        <p className={styles.muted}>
          {words.publishedSince} <When at={page.published_at} zone={store.time_zone} />
        </p>
      )}
      <p>
        <a className={styles.url} href={page.url} target="_blank" rel="noreferrer noopener">
          <Ltr>{readable(page.url)}</Ltr> <ExternalLink aria-hidden />
        </a>
      </p>
      <h2>{words.figures}</h2>
      <dl className={styles.figures}>
        <div>
          <dt>{words.orders}</dt>
          <dd>
            {can('order:view') ? (
              <Link href={orders}>{number(figures?.orders ?? 0)}</Link>
            ) : (
              number(figures?.orders ?? 0)
            )}
          </dd>
        </div>
        <div>
          <dt>{words.delivered}</dt>
          <dd>{number(figures?.delivered ?? 0)}</dd>
        </div>
        <div>
          <dt>{words.revenue}</dt>
          <dd>
            <Money amount={figures?.revenue ?? 0} currency={store.currency} />
          </dd>
        </div>
      </dl>
    </Surface>
  )
}

const ExistingPage = ({ id }: { id: string }) => {
  const messages = useMessages()
  const words = useLandingPageWords()
  const { controls } = messages
  const title = useLandingPagesTitle()
  const { store, client, can } = useStore()
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const toast = useToast()
  const deleteRows = useDelete()
  const [busy, setBusy] = useState(false)
  const [version, setVersion] = useState(0)
  const asked = useQuery({
    queryKey: [store.id, 'landing-page', id],
    queryFn: ({ signal }) => client.landingPages.get(id, { signal }),
    // Input in progress must not be replaced by refetched data.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
  const { data: page, error, refetch } = asked
  const back = { href: `/s/${store.id}/landing-pages`, label: title }
  if (!page) {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Empty isPage title={controls.notFound}>
          {controls.notFoundHelp}
        </Empty>
      )
    return <UnreadPage title={words.page} back={back} query={asked} />
  }
  const put = async (act: 'publish' | 'unpublish') => {
    setBusy(true)
    try {
      queries.setQueryData([store.id, 'landing-page', id], await client.landingPages[act](id, { ifMatch: page }))
      toast(act === 'publish' ? words.publishedDone : words.unpublishedDone)
    } catch (error) {
      toast(describeError(error, messages).message, { bad: true })
    }
    setBusy(false)
  }
  const canUnpublish = page.published_at !== null && can('landing_page:publish')
  const remove = async () => {
    const isHidden = await deleteRows({
      rows: [{ id, name: page.title }],
      read: async () => {
        const newest = await client.landingPages.get(id)
        if (newest.updated_at !== page.updated_at) throw new Error(controls.conflict)
        return newest
      },
      remove: client.landingPages.delete,
      done: `${controls.labelled(words.deleted, page.title)}. ${words.deletedHelp}`,
      renew: () => queries.invalidateQueries({ queryKey: [store.id, 'landing-pages'] }),
    })
    if (isHidden) navigate(back.href)
  }
  return (
    <Page
      title={<bdi>{page.title}</bdi>}
      name={page.title}
      back={back}
      badges={page.published_at ? <Badge tone="good">{words.published}</Badge> : <Badge>{words.draft}</Badge>}
      actions={
        <>
          {(canUnpublish || can('landing_page:delete')) && (
            <Menu trigger={<Button icon={<Ellipsis />} aria-label={controls.more} />}>
              {canUnpublish && (
                <MenuItem icon={<EyeOff />} onSelect={() => put('unpublish')}>
                  {words.unpublish}
                </MenuItem>
              )}
              {can('landing_page:delete') && (
                <MenuItem icon={<Trash2 />} danger onSelect={remove}>
                  {words.delete}
                </MenuItem>
              )}
            </Menu>
          )}
          {!page.published_at && can('landing_page:publish') && (
            <Button kind="primary" icon={<Send className="pointing" />} busy={busy} onClick={() => put('publish')}>
              {words.publish}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.columns}>
        <PageForm key={version} page={page} onReload={() => refetch().then(() => setVersion(version + 1))} />
        <Figures page={page} />
      </div>
    </Page>
  )
}

const LandingPagePage = () => {
  const { id = '' } = useParams<{ id: string }>()
  const words = useLandingPageWords()
  const title = useLandingPagesTitle()
  const { store } = useStore()
  if (id !== 'new') return <ExistingPage key={id} id={id} />
  return (
    <Page title={words.create} back={{ href: `/s/${store.id}/landing-pages`, label: title }}>
      <div className={styles.narrow}>
        <PageForm onReload={() => {}} />
      </div>
    </Page>
  )
}

export default LandingPagePage
