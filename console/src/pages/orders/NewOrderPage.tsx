import { Search } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { AreaField, SelectField, TextField } from '../../components/Field.tsx'
import { Money } from '../../components/Money.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { useToast } from '../../components/Toast.tsx'
import { useHotkeys } from '../../components/useHotkeys.ts'
import { useRenewOrder } from './actions.tsx'
import { addFound, editedLine } from './added-lines.ts'
import { ContactFields } from './ContactFields.tsx'
import { CustomerFinder } from './CustomerFinder.tsx'
import { CONTACT_FIELDS } from './contact-fields.ts'
import { useEditWords } from './edit-words.ts'
import { KnownPhone } from './KnownPhone.tsx'
import { LineEditor } from './LineEditor.tsx'
import { numberOf, previewTotals } from './line-totals.ts'
import styles from './OrderForm.module.css'
import orderStyles from './OrderPage.module.css'
import { useOrdersTitle } from './title.ts'
import { type NewOrderValues, useNewOrder } from './useNewOrder.ts'
import { usePaymentMethods } from './usePaymentMethods.ts'
import { useOrderWords } from './words.ts'

const CHARGES = ['shipping_rate', 'shipping_name', 'discount', 'discount_code', 'payment_method_id', 'status'] as const
const MAX_NOTE = 5_000

type Entry = ReturnType<typeof useNewOrder>
type Form = Entry['form']

const CustomerSection = ({ form }: { form: Form }) => {
  const words = useEditWords()
  const [isFinding, setFinding] = useState(false)
  return (
    <section className={orderStyles.section}>
      <header>
        <h2>{words.customer}</h2>
        <span className={orderStyles.push} />
        <Button icon={<Search />} onClick={() => setFinding(true)}>
          {words.findCustomer}
        </Button>
      </header>
      <KnownPhone phone={form.values.customer_phone} />
      <ContactFields field={form.field} />
      {isFinding && (
        <CustomerFinder
          onChoose={(contact) => {
            setFinding(false)
            form.set(contact)
          }}
          onClose={() => setFinding(false)}
        />
      )}
    </section>
  )
}

const ItemsSection = ({ entry: { form, errorsOf } }: { entry: Entry }) => {
  const words = useEditWords()
  const { store } = useStore()
  const { lines } = form.values
  return (
    <section className={orderStyles.section}>
      <h2>{words.items}</h2>
      {lines.length === 0 && <p className={orderStyles.note}>{words.noItemsYet}</p>}
      <LineEditor
        currency={store.currency}
        lines={lines.map((line) =>
          editedLine(
            line,
            (changes) => form.set({ lines: lines.map((other) => (other === line ? { ...other, ...changes } : other)) }),
            (field) => errorsOf(line.found.variant.id, field),
          ),
        )}
        onAdd={(found) => form.set({ lines: addFound(lines, found) })}
        onRemove={(key) => form.set({ lines: lines.filter(({ found }) => found.variant.id !== key) })}
      />
    </section>
  )
}

const ChargesSection = ({ form }: { form: Form }) => {
  const words = useEditWords()
  const orders = useOrderWords()
  const { store } = useStore()
  const methods = usePaymentMethods()
  const amount = (label: string) => `${label} (${store.currency})`
  return (
    <section className={orderStyles.section}>
      <h2>{words.charges}</h2>
      <TextField
        label={amount(words.shipping)}
        inputMode="decimal"
        dir="ltr"
        maxLength={20}
        {...form.field('shipping_rate')}
      />
      <TextField label={words.shippingName} dir="auto" maxLength={255} {...form.field('shipping_name')} />
      <TextField
        label={amount(words.discount)}
        inputMode="decimal"
        dir="ltr"
        maxLength={20}
        {...form.field('discount')}
      />
      <TextField label={words.discountCode} dir="ltr" maxLength={255} {...form.field('discount_code')} />
      {methods.length > 0 && (
        <SelectField
          label={words.paymentMethod}
          choices={[
            { value: '', label: words.noPaymentMethod },
            ...methods.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...form.field('payment_method_id')}
        />
      )}
      <SelectField
        label={orders.payment}
        choices={(['pending', 'paid'] as const).map((value) => ({ value, label: orders.status[value] }))}
        {...form.field('status')}
      />
    </section>
  )
}

const Totals = ({ values }: { values: NewOrderValues }) => {
  const words = useEditWords()
  const orders = useOrderWords()
  const { store } = useStore()
  const { subtotal, total } = previewTotals(values.lines, {
    shipping_rate: numberOf(values.shipping_rate) ?? 0,
    discount: numberOf(values.discount) ?? 0,
    fee: 0,
    tip_type: null,
    tip_value: 0,
  })
  return (
    <div className={styles.totals} role="status">
      <small>
        {orders.subtotal}: <Money amount={subtotal} currency={store.currency} />
      </small>
      <strong>
        {words.total}: <Money amount={total} currency={store.currency} />
      </strong>
    </div>
  )
}

/** Fills in an order for a customer who called or wrote. */
const NewOrderPage = () => {
  const words = useEditWords()
  const orders = useOrderWords()
  const title = useOrdersTitle()
  const { store } = useStore()
  const [, navigate] = useLocation()
  const toast = useToast()
  const renew = useRenewOrder()
  const entry = useNewOrder()
  const { form, created, made, fields } = entry
  const openOrder = () => {
    if (!made.current) return
    const { order, isAsSentFirst } = made.current
    navigate(`/s/${store.id}/orders/${order.id}`, { replace: true })
    toast(isAsSentFirst ? words.createdBefore(order.ref) : words.created(order.ref))
    void renew()
  }
  const submit = async () => {
    if (!form.busy && (await form.submit())) openOrder()
  }
  useHotkeys({ 'mod+s': () => void submit() })
  usePageKeys([['Ctrl S', words.create]])
  const note = (
    <AreaField
      label={words.note}
      help={words.noteHelp}
      rows={2}
      dir="auto"
      maxLength={MAX_NOTE}
      {...(form.field('note') as object)}
      errors={fields.text}
    />
  )
  const shown = [
    ...CONTACT_FIELDS,
    ...CHARGES,
    'text',
    ...Object.keys(fields).filter((name) => /^variants\.\d+\.(quantity|price|variant_id)$/.test(name)),
  ]
  const onSubmit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    void submit()
  }
  const frame = { title: orders.newOrder, back: { href: `/s/${store.id}/orders`, label: title } }
  if (created)
    return (
      <Page {...frame}>
        <Surface padded>
          <form className={styles.end} noValidate onSubmit={onSubmit}>
            <p>{words.noteFailed}</p>
            {note}
            <Problem error={form.error} shown={shown} />
            <p className={styles.buttons}>
              <Button
                onClick={() => {
                  form.reset()
                  openOrder()
                }}
              >
                {words.openOrder}
              </Button>
              <Button kind="primary" type="submit" busy={form.busy}>
                {words.saveNote}
              </Button>
            </p>
          </form>
        </Surface>
      </Page>
    )
  return (
    <Page {...frame}>
      <form className={orderStyles.columns} noValidate onSubmit={onSubmit}>
        <Surface>
          <CustomerSection form={form} />
          <ItemsSection entry={entry} />
        </Surface>
        <Surface>
          <ChargesSection form={form} />
          <section className={orderStyles.section}>
            {note}
            <Totals values={form.values} />
            <Problem error={form.error} shown={shown} />
            <Button kind="primary" type="submit" busy={form.busy} aria-keyshortcuts="Control+s">
              {words.create}
            </Button>
          </section>
        </Surface>
      </form>
    </Page>
  )
}

export default NewOrderPage
