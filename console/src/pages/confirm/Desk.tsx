import { MessageCircle, Phone } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { LinkButton } from '../../components/LinkButton.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { formatMoney, Money } from '../../components/Money.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useHotkeys } from '../../components/useHotkeys.ts'
import { When } from '../../components/When.tsx'
import { localeOf } from '../../messages/messages.ts'
import { useRenewOrder } from '../orders/actions.tsx'
import ContactDialog from '../orders/ContactDialog.tsx'
import { Customer } from '../orders/Customer.tsx'
import { Lines } from '../orders/Deliveries.tsx'
import type { Order } from '../orders/labels.ts'
import orderStyles from '../orders/OrderPage.module.css'
import { telHref, whatsappHref } from '../orders/phone-links.ts'
import { Signals } from '../orders/Signals.tsx'
import { useOrderWords } from '../orders/words.ts'
import styles from './Confirm.module.css'
import { LaterDialog, NoteDialog, RefusedDialog, type Result } from './dialogs.tsx'
import { Duplicate, OtherOrders, useDuplicate } from './SameCustomer.tsx'
import { useTemplateLanguage } from './settings.ts'
import type { useClaim } from './useClaim.ts'
import { useConfirmWords, WORDS } from './words.ts'

/** A key that is pressed twice belongs to the order before. */
const SETTLE_MS = 400

const KEYS = {
  confirmed: '1',
  no_answer: '2',
  postponed: '3',
  refused: '4',
  edit: 'e',
  note: 'n',
  next: 'j',
  before: 'k',
} as const
type Act = keyof typeof KEYS
/** Possible although somebody else has the order now. */
const MOVES: ReadonlySet<string> = new Set(['next', 'before'])

const Contact = ({ order }: { order: Order }) => {
  const words = useConfirmWords()
  const { store } = useStore()
  const language = useTemplateLanguage()
  if (!order.customer_phone) return <p className={styles.phone}>{words.noPhone}</p>
  const items = order.variants.map(({ quantity, title }) => `${quantity} × ${title}`).join(', ')
  const total = formatMoney(localeOf(language), order.total, order.currency)
  const whatsapp = whatsappHref(order, WORDS[language].template(order.customer_name, store.name, items, total))
  return (
    <>
      <p className={styles.phone}>
        <Ltr>{order.customer_phone}</Ltr>
      </p>
      <div className={styles.ways}>
        <LinkButton href={telHref(order)} icon={<Phone />}>
          {words.call}
        </LinkButton>
        {whatsapp && (
          <LinkButton href={whatsapp} target="_blank" rel="noreferrer" icon={<MessageCircle />}>
            {words.whatsapp}
          </LinkButton>
        )}
      </div>
    </>
  )
}

/** What was ordered, for whom, and what is known from earlier calls. */
const Facts = ({ order }: { order: Order }) => {
  const words = useConfirmWords()
  const orderWords = useOrderWords()
  const { store, can } = useStore()
  const { confirmation, total, currency, created_at, quantity } = order
  return (
    <section className={orderStyles.section}>
      <header>
        <h3>{words.bought}</h3>
        <span className={orderStyles.push} />
        <strong className={styles.total}>
          <Money amount={total} currency={currency} />
        </strong>
      </header>
      <Lines lines={order.variants} currency={currency} />
      <p className={orderStyles.note}>
        <When at={created_at} zone={store.time_zone} /> · {orderWords.count(quantity)}
        {confirmation && confirmation.attempts > 0 && ` · ${words.attempts(String(confirmation.attempts))}`}
        {confirmation?.at && (
          <>
            {' '}
            · {words.lastCall} <When at={confirmation.at} zone={store.time_zone} /> <bdi>{confirmation.by}</bdi>
          </>
        )}
        {can('order:view') && (
          <>
            {' '}
            ·{' '}
            <Link className={styles.open} href={`/s/${store.id}/orders/${order.id}`}>
              {words.openOrder}
            </Link>
          </>
        )}
      </p>
    </section>
  )
}

const LastNote = ({ order }: { order: Order }) => {
  const words = useConfirmWords()
  const note = order.history.findLast(({ note }) => note)?.note ?? order.confirmation?.note
  if (!note) return null
  return (
    <p dir="auto">
      <strong>{words.lastNote}:</strong> <bdi>{note}</bdi>
    </p>
  )
}

/** The acts, with their keys. A failure is shown below them. */
const Acts = ({
  busy,
  isLost,
  canGoBack,
  onAct,
  children,
}: {
  busy: boolean
  isLost: boolean
  canGoBack: boolean
  onAct: (act: Act) => void
  children: ReactNode
}) => {
  const words = useConfirmWords()
  return (
    <section className={`${orderStyles.section} ${styles.acts}`} aria-label={words.acts}>
      {isLost && <p role="alert">{words.lost}</p>}
      <div>
        {(Object.keys(KEYS) as Act[]).map((act) => (
          <Button
            key={act}
            kind={act === 'confirmed' ? 'primary' : 'plain'}
            disabled={busy || (isLost && !MOVES.has(act)) || (act === 'before' && !canGoBack)}
            aria-keyshortcuts={KEYS[act]}
            onClick={() => onAct(act)}
          >
            {words[act]}{' '}
            <kbd className={styles.key} aria-hidden>
              {KEYS[act]}
            </kbd>
          </Button>
        ))}
      </div>
      {children}
    </section>
  )
}

type Claim = ReturnType<typeof useClaim>
type OnRecorded = (order: Order, result: Result) => void
type Open = 'no_answer' | 'postponed' | 'refused' | 'note' | 'edit' | 'merge'

/** One order until somebody has said what becomes of it. */
export const Desk = ({ order, claim, onRecorded }: { order: Order; claim: Claim; onRecorded: OnRecorded }) => {
  const words = useConfirmWords()
  const { client } = useStore()
  const toast = useToast()
  const renew = useRenewOrder()
  const [open, setOpen] = useState<Open>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const heading = useRef<HTMLHeadingElement>(null)
  const [shownAt] = useState(() => performance.now())
  const isActing = useRef(false)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])

  const recorded = useRef<Result>(undefined)
  const send = useCreate((body: Result, options) => client.orders.confirm(order.id, body, options))
  const record = async (result: Result) => {
    await send(result)
    recorded.current = result
  }
  const addNote = useCreate((body: { text: string }, options) => client.orders.createOrderNote(order.id, body, options))
  const { same, duplicate, older, newer, merge } = useDuplicate(order)

  const finish = async () => {
    if (recorded.current) onRecorded(order, recorded.current)
    void renew()
    await claim.take()
  }
  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await record({ result: 'confirmed' })
      await finish()
    } catch (error) {
      setError(error)
    }
    setBusy(false)
  }
  const act = async (chosen: Act | 'merge') => {
    if (isActing.current || claim.busy || performance.now() - shownAt < SETTLE_MS) return
    if (claim.isLost && !MOVES.has(chosen)) return
    if (chosen === 'before' && !claim.hasPassed) return
    isActing.current = true
    if (chosen === 'confirmed') await confirm()
    else if (chosen === 'next') await claim.pass()
    else if (chosen === 'before') await claim.goBack()
    else if (chosen !== 'merge' || duplicate) setOpen(chosen)
    isActing.current = false
  }
  const press = (chosen: Act | 'merge') => (event: KeyboardEvent) => {
    if (!event.repeat) void act(chosen)
  }
  useHotkeys({
    ...Object.fromEntries(Object.entries(KEYS).map(([chosen, key]) => [key, press(chosen as Act)])),
    m: press('merge'),
  })
  usePageKeys([
    ...(Object.keys(KEYS) as Act[]).map((act) => [KEYS[act], words[act]] as const),
    ...(duplicate ? [['m', words.merge] as const] : []),
  ])
  const close = () => setOpen(undefined)

  return (
    <>
      <div className={orderStyles.columns}>
        <Surface>
          <section className={orderStyles.section}>
            <header>
              <h2 ref={heading} tabIndex={-1} dir="auto">
                {order.customer_name || <Ltr>{order.ref}</Ltr>}
              </h2>
              <Badge>
                <Ltr>{order.ref}</Ltr>
              </Badge>
            </header>
            <Contact order={order} />
            <LastNote order={order} />
          </section>
          <Acts
            busy={busy || claim.busy}
            isLost={claim.isLost ?? false}
            canGoBack={claim.hasPassed}
            onAct={(chosen) => {
              void act(chosen)
            }}
          >
            <Problem error={error} />
          </Acts>
          {duplicate && (
            <Duplicate
              order={order}
              other={duplicate}
              hasKey
              onMerge={() => {
                void act('merge')
              }}
            />
          )}
          <Facts order={order} />
        </Surface>
        <Surface>
          <Customer order={order} onEdit={() => void act('edit')} />
          <Signals order={order} />
          <OtherOrders query={same} />
        </Surface>
      </div>
      {(open === 'no_answer' || open === 'postponed') && (
        <LaterDialog result={open} onSend={record} onDone={finish} onClose={close} />
      )}
      {open === 'refused' && <RefusedDialog onSend={record} onDone={finish} onClose={close} />}
      {open === 'note' && (
        <NoteDialog onAdd={async (text) => claim.show(await addNote({ text }))} onDone={renew} onClose={close} />
      )}
      {open === 'edit' && <ContactDialog order={order} onDone={claim.show} onClose={close} />}
      {open === 'merge' && duplicate && (
        <Confirm
          title={words.mergeAsk(newer.ref, older.ref)}
          act={words.merge}
          onClose={close}
          onConfirm={async () => {
            await merge()
            toast(words.merged)
            void renew()
            await claim.take(older.id)
          }}
        >
          {words.mergeHelp}
        </Confirm>
      )}
    </>
  )
}
