import { type Client, useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Newest } from '../../components/Newest.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { Rows } from './Rows.tsx'
import { useRows } from './useRows.ts'
import { useSettingsWords } from './words.ts'

type PaymentMethod = Awaited<ReturnType<Client['payment_methods']['get']>>

interface FormProps {
  method: PaymentMethod
  onDone: () => unknown
  onClose: () => void
  onReload: () => unknown
}

const valuesOf = ({ name, status, payment_types }: PaymentMethod) => ({
  name,
  status,
  payment_types: payment_types.join(', '),
})

const PaymentForm = ({ method, ...rest }: FormProps) => {
  const words = useSettingsWords()
  const { controls } = useMessages()
  const { client } = useStore()
  const form = useForm(
    valuesOf(method),
    ({ name, status, payment_types }, _values, newest: PaymentMethod | undefined) =>
      client.payment_methods.update(
        method.id,
        {
          ...(name !== undefined && { name }),
          ...(status !== undefined && { status: status as 'active' | 'inactive' }),
          ...(payment_types !== undefined && {
            payment_types: payment_types
              .split(/[,،]/)
              .map((type) => type.trim())
              .filter((type) => type !== ''),
          }),
        },
        { ifMatch: newest ?? method },
      ),
    { read: () => client.payment_methods.get(method.id), valuesOf },
  )
  return (
    <FormDialog title={words.editPayment} act={controls.save} form={form} shown={['name', 'status']} {...rest}>
      <TextField label={words.name} maxLength={255} dir="auto" {...form.field('name')} />
      <SelectField
        label={words.status}
        choices={[
          { value: 'active', label: words.active },
          { value: 'inactive', label: words.inactive },
        ]}
        {...form.field('status')}
      />
      <TextField label={words.types} help={words.typesHelp} dir="ltr" {...form.field('payment_types')} />
    </FormDialog>
  )
}

export const PaymentMethods = () => {
  const words = useSettingsWords()
  const { can } = useStore()
  const { client, rows, error, opened, open, close, saved, reload } = useRows<PaymentMethod>(
    'payment-methods',
    async (client, signal) =>
      (await client.payment_methods.list({ page_size: 200, order_by: 'name', order_direction: 'ASC' }, { signal }))
        .payment_methods,
  )
  return (
    <>
      <Rows<PaymentMethod>
        title={words.sections.payment}
        rows={rows}
        error={error}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        show={({ name, status, connected, payment_types }) => (
          <>
            <strong>
              <bdi>{name}</bdi> {status !== 'active' && <Badge>{words.inactive}</Badge>}{' '}
              {!connected && <Badge tone="warn">{words.notConnected}</Badge>}
            </strong>
            <small>
              <Ltr>{payment_types.join(', ')}</Ltr>
            </small>
          </>
        )}
        onEdit={can('payment_method:update') ? (row) => open({ kind: 'edit', row }) : undefined}
        empty={{ title: words.noPayment, help: words.noPaymentHelp }}
      />
      {opened?.kind === 'edit' && (
        <Newest name="payment-methods" id={opened.row.id} get={(id) => client.payment_methods.get(id)}>
          {(method) => <PaymentForm method={method} onDone={saved} onClose={close} onReload={reload} />}
        </Newest>
      )}
    </>
  )
}
