import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import type { Client } from '../../api/store.tsx'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Money } from '../../components/Money.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { When } from '../../components/When.tsx'
import { usePlanTitle } from '../plan/title.ts'
import { usePlanWords } from '../plan/words.ts'
import styles from './Invoice.module.css'
import { InvoiceStatus } from './InvoiceRows.tsx'

type Invoice = Awaited<ReturnType<Client['invoices']['get']>>

const Sheet = ({ invoice }: { invoice: Invoice }) => {
  const words = usePlanWords()
  const { store } = useStore()
  const { currency } = invoice
  const money = (amount: number) => <Money amount={amount} currency={currency} />
  const facts = [
    [words.date, <When key="date" at={invoice.created_at} zone={store.time_zone} day />],
    [words.due, <When key="due" at={invoice.due_at} zone={store.time_zone} day />],
    ...(invoice.paid_at
      ? [[words.paidAt, <When key="paid" at={invoice.paid_at} zone={store.time_zone} day />] as const]
      : []),
    [
      words.period,
      <span key="period">
        <When at={invoice.period_start} zone={store.time_zone} day /> –{' '}
        <When at={invoice.period_end} zone={store.time_zone} day />
      </span>,
    ],
  ] as const
  return (
    <article className={styles.sheet}>
      <p className={styles.printed}>{words.invoice(String(invoice.number))}</p>
      <div className={styles.parties}>
        <div>
          <h2>{words.seller}</h2>
          <p dir="auto" className={styles.lines}>
            {invoice.seller}
          </p>
        </div>
        <div>
          <h2>{words.buyer}</h2>
          <p dir="auto">{invoice.store_name}</p>
        </div>
      </div>
      <dl className={styles.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <table>
        <caption className="hidden">{words.invoice(String(invoice.number))}</caption>
        <thead>
          <tr>
            <th scope="col">{words.description}</th>
            <th scope="col">{words.amount}</th>
          </tr>
        </thead>
        <tbody>
          {invoice.lines.map(({ text, amount }) => (
            <tr key={text}>
              <td dir="auto">{text}</td>
              <td>{money(amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{words.subtotal}</th>
            <td>{money(invoice.subtotal)}</td>
          </tr>
          <tr>
            <th scope="row">{words.tax(String(invoice.tax_percent))}</th>
            <td>{money(invoice.tax)}</td>
          </tr>
          <tr>
            <th scope="row">{words.total}</th>
            <td>
              <strong>{money(invoice.total)}</strong>
            </td>
          </tr>
        </tfoot>
      </table>
    </article>
  )
}

/** Leads to the operator's payment page. Without one, says how it is paid. */
const Pay = ({ invoice }: { invoice: Invoice }) => {
  const words = usePlanWords()
  const { client } = useStore()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [hasNoPage, setNoPage] = useState(false)
  const pay = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { url } = await client.invoices.pay(invoice.id)
      if (url) return location.assign(url)
      setNoPage(true)
    } catch (error) {
      setError(error)
    }
    setBusy(false)
  }
  return (
    <div className={styles.pay}>
      {hasNoPage ? (
        <p role="status">{words.noPayPage}</p>
      ) : (
        <Button kind="primary" busy={busy} onClick={pay}>
          {words.pay}
        </Button>
      )}
      <Problem error={error} />
    </div>
  )
}

/** One invoice, as it is printed. */
const InvoicePage = () => {
  const words = usePlanWords()
  const title = usePlanTitle()
  const { store, client, can } = useStore()
  const { id = '' } = useParams<{ id: string }>()
  const query = useQuery({
    queryKey: [store.id, 'invoices', id],
    queryFn: ({ signal }) => client.invoices.get(id, { signal }),
  })
  const { data: invoice } = query
  const isOpen = invoice?.status === 'open' || invoice?.status === 'overdue'
  return (
    <Page
      title={invoice ? words.invoice(String(invoice.number)) : words.invoices}
      back={{ href: `/s/${store.id}/plan`, label: title }}
      badges={invoice && <InvoiceStatus status={invoice.status} />}
      actions={
        <Button icon={<Printer />} onClick={() => window.print()}>
          {words.print}
        </Button>
      }
    >
      <Loaded query={query}>
        {invoice && (
          <>
            {isOpen && can('invoice:pay') && <Pay invoice={invoice} />}
            <Surface>
              <Sheet invoice={invoice} />
            </Surface>
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default InvoicePage
