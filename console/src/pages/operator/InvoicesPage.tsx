import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { type OperatorInvoiceInfo, operatorApi } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Empty } from '../../components/Empty.tsx'
import { TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Money } from '../../components/Money.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { InvoiceStatus } from '../invoices/InvoiceRows.tsx'
import styles from '../plan/Plan.module.css'
import { usePlanWords } from '../plan/words.ts'
import { useServicePlanWords } from './plan-words.ts'

const QUERY = ['service', 'invoices']

type Run = (act: () => Promise<unknown>) => Promise<void>

const PaidForm = ({
  invoice,
  run,
  onDone,
  onClose,
}: {
  invoice: OperatorInvoiceInfo
  run: Run
  onDone: () => unknown
  onClose: () => void
}) => {
  const words = useServicePlanWords()
  const form = useForm({ reference: '' }, (_changes, { reference }) =>
    run(() => operatorApi.payInvoice(invoice.id, reference)),
  )
  return (
    <FormDialog
      title={words.markPaidAsk(String(invoice.number))}
      act={words.markPaid}
      form={form}
      shown={['reference']}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField
        label={words.reference}
        help={words.referenceHelp}
        dir="auto"
        maxLength={200}
        {...form.field('reference')}
      />
    </FormDialog>
  )
}

const Row = ({ invoice, onPaid, onVoid }: { invoice: OperatorInvoiceInfo; onPaid: () => void; onVoid: () => void }) => {
  const plans = usePlanWords()
  const words = useServicePlanWords()
  const number = String(invoice.number)
  const isOpen = invoice.status === 'open' || invoice.status === 'overdue'
  return (
    <li>
      <div>
        <Link href={`/s/${invoice.store_id}/invoices/${invoice.id}`}>{plans.invoice(number)}</Link>
        <small>
          <bdi>{invoice.store_name}</bdi> · <When at={invoice.created_at} day />
        </small>
      </div>
      <Money amount={invoice.total} currency={invoice.currency} />
      <InvoiceStatus status={invoice.status} />
      {isOpen && (
        <>
          <Button onClick={onPaid} aria-label={`${words.markPaid}: ${number}`}>
            {words.markPaid}
          </Button>
          <Button kind="danger" onClick={onVoid} aria-label={`${words.void}: ${number}`}>
            {words.void}
          </Button>
        </>
      )}
    </li>
  )
}

/** The invoices of all stores. */
const InvoicesPage = () => {
  const messages = usePlanWords()
  const { controls } = useMessages()
  const words = useServicePlanWords()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [opened, open] = useState<{ what: 'paid' | 'void'; invoice: OperatorInvoiceInfo }>()
  const query = useInfiniteQuery({
    queryKey: QUERY,
    queryFn: ({ pageParam }) => operatorApi.invoices(pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ invoices, has_more }) => (has_more ? invoices.at(-1)?.number : undefined),
  })
  const invoices = query.data?.pages.flatMap((page) => page.invoices)
  const close = () => open(undefined)
  const done = async (text: string) => {
    toast(text)
    await queries.invalidateQueries({ queryKey: QUERY })
  }
  return (
    <Page title={messages.invoices}>
      <p className={styles.help}>{words.invoicesHelp}</p>
      <Surface>
        <Loaded query={query}>
          {invoices?.length === 0 && <Empty title={words.noInvoices} />}
          <ul className={styles.rows}>
            {invoices?.map((invoice) => (
              <Row
                key={invoice.id}
                invoice={invoice}
                onPaid={() => open({ what: 'paid', invoice })}
                onVoid={() => open({ what: 'void', invoice })}
              />
            ))}
          </ul>
        </Loaded>
      </Surface>
      {query.hasNextPage && (
        <p>
          <Button busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {controls.next}
          </Button>
        </p>
      )}
      {opened?.what === 'paid' && (
        <PaidForm invoice={opened.invoice} run={run} onDone={() => done(words.markedPaid)} onClose={close} />
      )}
      {opened?.what === 'void' && (
        <Confirm
          title={words.voidAsk(String(opened.invoice.number))}
          act={words.void}
          danger
          onClose={close}
          onConfirm={async () => {
            await run(() => operatorApi.voidInvoice(opened.invoice.id))
            await done(words.voided)
          }}
        >
          {words.voidHelp}
        </Confirm>
      )}
      {dialog}
    </Page>
  )
}

export default InvoicesPage
