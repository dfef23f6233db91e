import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Check, EyeOff, PencilLine, Star, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { type Client, useStore } from '../../api/store.tsx'
import { Badge, type Tone } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import { describeError, isConflict } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import list from '../../components/ListPage.module.css'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { apiQuery } from '../../components/list-query.ts'
import { loadable } from '../../components/loadable.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { SavedViews } from '../../components/SavedViews.tsx'
import { SelectionBar } from '../../components/SelectionBar.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useDelete, useRemaining } from '../../components/useDelete.ts'
import { useHotkeys } from '../../components/useHotkeys.ts'
import { useRange } from '../../components/useRange.ts'
import { useSelection } from '../../components/useSelection.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import styles from './ReviewsPage.module.css'
import { useReviewsTitle } from './title.ts'
import { useReviewWords } from './words.ts'

type Answer = Awaited<ReturnType<Client['reviews']['list']>>
type Review = Answer['reviews'][number]
type Status = Review['status']
type Act = 'published' | 'hidden' | 'delete'

const ChangeReviews = loadable(() => import('./ChangeReviews.tsx'))

const PAGE_SIZE = 20
const TONES: Record<Status, Tone> = { pending: 'warn', published: 'good', hidden: 'plain' }
const VIEWS = ['pending', 'published', 'hidden', 'all'] as const

const keyOf = ({ id }: Review) => id

const Stars = ({ rating }: { rating: number }) => {
  const words = useReviewWords()
  return (
    <span className={styles.stars} role="img" aria-label={words.stars(rating)}>
      {[1, 2, 3, 4, 5].map((place) => (
        <Star key={place} data-on={place <= rating || undefined} aria-hidden />
      ))}
    </span>
  )
}

const ReviewCard = ({
  review,
  isCurrent,
  isSelected,
  showStatus,
  onFocus,
  onSelect,
  onAct,
}: {
  review: Review
  isCurrent: boolean
  isSelected: boolean
  /** Where the view does not say it. */
  showStatus: boolean
  onFocus: () => void
  onSelect: (selected: boolean, isRange: boolean) => void
  onAct: (act: Act) => void
}) => {
  const words = useReviewWords()
  const { controls } = useMessages()
  const { store, can } = useStore()
  const { id, content, rating, status, reviewer_name, reviewer_email, created_at, images, product } = review
  return (
    <li id={`review-${id}`} data-current={isCurrent || undefined} onPointerDown={onFocus}>
      <div className={styles.head}>
        {can('review:update') && (
          <input
            type="checkbox"
            aria-label={controls.selectRow(reviewer_name)}
            checked={isSelected}
            onChange={({ target, nativeEvent }) =>
              onSelect(target.checked, (nativeEvent as MouseEvent).shiftKey === true)
            }
          />
        )}
        <Stars rating={rating} />
        <strong>
          <bdi>{reviewer_name}</bdi>
        </strong>
        {reviewer_email && (
          <span className={styles.email}>
            <Ltr>{reviewer_email}</Ltr>
          </span>
        )}
        {showStatus && <Badge tone={TONES[status]}>{words.status[status]}</Badge>}
        <span className={styles.when}>
          <When at={created_at} zone={store.time_zone} />
        </span>
      </div>
      <p className={styles.content} dir="auto">
        {content}
      </p>
      {images.length > 0 && (
        <div className={styles.pictures}>
          {images.map((image) => (
            <a key={image.id} href={image.url} target="_blank" rel="noreferrer">
              <img src={image.thumbnail ?? image.url} alt={image.alt || words.picture(reviewer_name)} loading="lazy" />
            </a>
          ))}
        </div>
      )}
      <div className={styles.foot}>
        <Link href={`/s/${store.id}/products/${product.id}`} className={styles.product}>
          {product.images[0]?.thumbnail ? (
            <img src={product.images[0].thumbnail} alt="" loading="lazy" />
          ) : (
            <span className={styles.noImage} />
          )}
          <bdi>{product.title}</bdi>
        </Link>
        <span className={styles.acts}>
          {can('review:update') && status !== 'published' && (
            <Button icon={<Check />} onClick={() => onAct('published')}>
              {words.publish}
            </Button>
          )}
          {can('review:update') && status !== 'hidden' && (
            <Button icon={<EyeOff />} onClick={() => onAct('hidden')}>
              {words.hide}
            </Button>
          )}
          {can('review:delete') && (
            <Button kind="quiet" icon={<Trash2 />} aria-label={words.delete} onClick={() => onAct('delete')} />
          )}
        </span>
      </div>
    </li>
  )
}

/** The reviews of a view, page after page, with what can be done to one of them. */
const useReviews = (status: string | undefined, query: Record<string, string>) => {
  const { store, client } = useStore()
  const queries = useQueryClient()
  const queryKey = [store.id, 'reviews', status ?? '', query]
  const asked = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      client.reviews.list(
        {
          ...query,
          page_size: PAGE_SIZE,
          // The longest wait first.
          ...(status === 'pending' && { order_direction: 'ASC' as const }),
          ...(status && { status: status as Status }),
          ...(pageParam && { cursor: pageParam }),
        },
        { signal },
      ),
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  /** Shows a change at once, wherever the review is shown. */
  const replace = (id: string, change: (review: Review) => Review | undefined) =>
    queries.setQueryData<InfiniteData<Answer, string | undefined>>(
      queryKey,
      (data) =>
        data && {
          ...data,
          pages: data.pages.map((page) => {
            const reviews = page.reviews.flatMap((review) => (review.id === id ? (change(review) ?? []) : review))
            const gone = page.reviews.length - reviews.length
            const total = (page.pagination.total ?? 0) - gone
            return { ...page, reviews, pagination: { ...page.pagination, total } }
          }),
        },
    )
  const renew = () => queries.invalidateQueries({ queryKey: [store.id, 'reviews'] })
  return { asked, replace, renew }
}

const ReviewsPage = () => {
  const messages = useMessages()
  const words = useReviewWords()
  const { controls } = messages
  const title = useReviewsTitle()
  const { locale } = useWords()
  const { client, can } = useStore()
  const { params, search, change } = useAddress()
  const toast = useToast()
  // Waiting reviews are the default view, unless the list is filtered by product; `all` is a separate view.
  const view = params.get('status') ?? (params.has('product_id') ? 'all' : 'pending')
  const status = view === 'all' ? undefined : view
  const query = apiQuery(params, ['product_id', 'rating'])
  const { asked, replace, renew } = useReviews(status, query)
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const read = data?.pages.flatMap((page) => page.reviews) ?? []
  const reviews = useRemaining(read, ({ id }) => id)
  const total = (data?.pages[0]?.pagination.total ?? 0) - (read.length - reviews.length)
  const [current, setCurrent] = useState(0)
  const [changing, setChanging] = useState<Changing<Review>>()
  const { selected, change: select, replace: replaceSelected } = useSelection(keyOf)
  const selectRow = useRange(reviews, keyOf, select)
  const deleteRows = useDelete()
  const place = Math.min(current, reviews.length - 1)
  const review = reviews[place]

  /** The version shown on the page, so that a review changed in the meantime is not published unread. */
  const asShown = async ({ id, updated_at }: Review) => {
    const newest = await client.reviews.get(id)
    if (newest.updated_at !== updated_at) throw new Error(controls.conflict)
    return newest
  }
  const set = async (review: Review, status: Status, done: string, undo?: Status) => {
    const stays = view === 'all' || view === status
    replace(review.id, (shown) => (stays ? { ...shown, status } : undefined))
    try {
      const saved = await client.reviews.update(review.id, { status }, { ifMatch: await asShown(review) })
      toast(done, undo && { action: { label: words.undo, run: () => set(saved, undo, words.restored) } })
    } catch (error) {
      toast(isConflict(error) ? controls.conflict : describeError(error, messages).message, { bad: true })
    }
    await renew()
  }
  const remove = (review: Review) =>
    deleteRows({
      rows: [{ id: review.id, name: review.reviewer_name }],
      read: () => asShown(review),
      remove: client.reviews.delete,
      done: controls.labelled(words.deleted, review.reviewer_name),
      renew,
    })
  const act = (review: Review | undefined, act: Act) => {
    if (!review) return
    if (act === 'delete') return can('review:delete') && void remove(review)
    if (!can('review:update') || review.status === act) return
    set(review, act, act === 'published' ? words.published : words.hiddenDone, review.status)
  }
  useHotkeys({
    j: () => setCurrent(Math.min(reviews.length - 1, place + 1)),
    k: () => setCurrent(Math.max(0, place - 1)),
    p: () => act(review, 'published'),
    h: () => act(review, 'hidden'),
    d: () => act(review, 'delete'),
    x: () => review && can('review:update') && select([review], !selected.has(review.id)),
  })
  const { keys } = messages.shell
  usePageKeys([
    ['j', keys.nextRow],
    ['k', keys.previousRow],
    ...(can('review:update')
      ? ([
          ['x', keys.selectRow],
          ['p', words.publish],
          ['h', words.hide],
        ] as const)
      : []),
    ...(can('review:delete') ? ([['d', words.delete]] as const) : []),
  ])
  const id = review?.id
  useEffect(() => {
    if (current > 0 && id) document.getElementById(`review-${id}`)?.scrollIntoView({ block: 'nearest' })
  }, [current, id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view starts at its first review.
  useEffect(() => setCurrent(0), [search])
  const number = (value: number) => numberFormat(locale).format(value)
  const isFiltered = Object.keys(query).length > 0

  return (
    <Page title={title}>
      <Surface>
        <SavedViews
          list="reviews"
          ready={!asked.isPending}
          builtIn={VIEWS.map((name) => ({
            name: words.views[name],
            query: name === 'pending' ? '' : `status=${name}`,
          }))}
        />
        <div className={list.filters}>
          <SelectField
            label={words.rating}
            hideLabel
            value={params.get('rating') ?? ''}
            choices={[
              { value: '', label: controls.labelled(words.rating, controls.any) },
              ...[2, 3, 4, 5].map((stars) => ({ value: String(stars), label: words.atLeast(stars) })),
            ]}
            onChange={({ target }) => change({ rating: target.value })}
          />
          {isFiltered && (
            <Button kind="quiet" onClick={() => change({ rating: undefined, product_id: undefined })}>
              {controls.clear}
            </Button>
          )}
        </div>
        {selected.size > 0 && (
          <SelectionBar count={selected.size} onClear={() => replaceSelected([])}>
            <Button
              icon={<PencilLine />}
              onClick={() =>
                setChanging({
                  chosen: [...selected.values()],
                  matching: { total, query: { ...query, ...(status && { status }) } },
                  done: replaceSelected,
                })
              }
            >
              {controls.changeMany}
            </Button>
          </SelectionBar>
        )}
        <Loaded query={asked}>
          {reviews.length === 0 ? (
            view === 'pending' && !isFiltered ? (
              <Empty title={words.emptyPending} icon={<Star />}>
                {words.emptyPendingHelp}
              </Empty>
            ) : (
              <Empty title={words.empty} icon={<Star />}>
                {words.emptyHelp}
              </Empty>
            )
          ) : (
            <ul className={styles.reviews}>
              {reviews.map((review, index) => (
                <ReviewCard
                  key={review.id}
                  review={review}
                  isCurrent={index === place}
                  isSelected={selected.has(review.id)}
                  showStatus={view === 'all'}
                  onFocus={() => setCurrent(index)}
                  onSelect={(on, isRange) => selectRow(index, on, isRange)}
                  onAct={(given) => act(review, given)}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </Surface>
      {reviews.length > 0 && (
        <div className={styles.below}>
          <span>{words.shown(number(reviews.length), number(total))}</span>
          <span className={styles.keys}>{words.keys}</span>
          {hasNextPage && (
            <Button busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
              {words.more}
            </Button>
          )}
        </div>
      )}
      {changing && <ChangeReviews {...changing} onClose={() => setChanging(undefined)} />}
    </Page>
  )
}

export default ReviewsPage
