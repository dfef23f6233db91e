import { type Client, useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Newest } from '../../components/Newest.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { Rows } from './Rows.tsx'
import { useRows } from './useRows.ts'
import { useSettingsWords } from './words.ts'

type Carrier = Awaited<ReturnType<Client['carriers']['get']>>

const FIELDS = ['name', 'code', 'tracking_url', 'status'] as const

interface FormProps {
  carrier?: Carrier
  onDone: () => unknown
  onClose: () => void
  onReload: () => unknown
}

const valuesOf = (carrier?: Carrier) => ({
  name: carrier?.name ?? '',
  code: carrier?.code ?? '',
  tracking_url: carrier?.tracking_url ?? '',
  status: carrier?.status ?? 'active',
})

const CarrierForm = ({ carrier, ...rest }: FormProps) => {
  const words = useSettingsWords()
  const { controls } = useMessages()
  const { client } = useStore()
  const create = useCreate(client.carriers.create, (made: Carrier, body) => client.carriers.update(made.id, body))
  const form = useForm(
    valuesOf(carrier),
    (changes, { name, code, tracking_url, status }, newest: Carrier | undefined) => {
      const body = { tracking_url: tracking_url.trim() || null, status: status as 'active' | 'inactive' }
      return carrier
        ? client.carriers.update(
            carrier.id,
            {
              ...(changes as { name?: string; code?: string }),
              ...body,
            },
            { ifMatch: newest ?? carrier },
          )
        : create({ name, code, ...body })
    },
    carrier && { read: () => client.carriers.get(carrier.id), valuesOf },
  )
  return (
    <FormDialog
      title={carrier ? words.editCarrier : words.newCarrier}
      act={carrier ? controls.save : controls.add}
      form={form}
      shown={FIELDS}
      {...rest}
    >
      <TextField label={words.name} maxLength={255} dir="auto" {...form.field('name')} />
      <TextField label={words.code} help={words.codeHelp} maxLength={64} dir="ltr" {...form.field('code')} />
      <TextField
        label={words.trackingUrl}
        help={words.trackingHelp}
        dir="ltr"
        maxLength={2048}
        {...form.field('tracking_url')}
      />
      <SelectField
        label={words.status}
        choices={[
          { value: 'active', label: words.active },
          { value: 'inactive', label: words.inactive },
        ]}
        {...form.field('status')}
      />
    </FormDialog>
  )
}

export const Carriers = () => {
  const words = useSettingsWords()
  const { can } = useStore()
  const { client, rows, error, opened, open, close, saved, remove, reload } = useRows<Carrier>(
    'carriers',
    (client, signal) => client.carriers.list({ status: 'all' }, { signal }),
  )
  const form = { onDone: saved, onClose: close, onReload: reload }
  return (
    <>
      <Rows<Carrier>
        title={words.sections.carriers}
        add={can('shipping:create') ? { label: words.newCarrier, onAdd: () => open({ kind: 'new' }) } : undefined}
        rows={rows}
        error={error}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        show={({ name, code, status }) => (
          <>
            <strong>
              <bdi>{name}</bdi> {status !== 'active' && <Badge>{words.inactive}</Badge>}
            </strong>
            <small>
              <Ltr>{code}</Ltr>
            </small>
          </>
        )}
        onEdit={can('shipping:update') ? (row) => open({ kind: 'edit', row }) : undefined}
        onDelete={
          can('shipping:delete')
            ? ({ id, name }) =>
                () =>
                  remove(
                    { id, name },
                    { read: client.carriers.get, remove: client.carriers.delete },
                    words.deleteCarrierHelp,
                  )
            : undefined
        }
        empty={{ title: words.noCarriers, help: words.noCarriersHelp }}
      />
      {opened?.kind === 'new' && <CarrierForm {...form} />}
      {opened?.kind === 'edit' && (
        <Newest name="carriers" id={opened.row.id} get={(id) => client.carriers.get(id)}>
          {(carrier) => <CarrierForm carrier={carrier} {...form} />}
        </Newest>
      )}
    </>
  )
}
