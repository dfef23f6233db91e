import { type Client, useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { CheckField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Newest } from '../../components/Newest.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { ConfirmDelete, Rows } from './Rows.tsx'
import { useRows } from './useRows.ts'
import { useSettingsWords } from './words.ts'

type Domain = Awaited<ReturnType<Client['domains']['get']>>

interface FormProps {
  domain?: Domain
  onDone: () => unknown
  onClose: () => void
  onReload: () => unknown
}

const valuesOf = (domain?: Domain) => ({
  host: domain?.unicode_host ?? '',
  is_primary: domain?.is_primary ?? false,
})

const DomainForm = ({ domain, ...rest }: FormProps) => {
  const words = useSettingsWords()
  const { controls } = useMessages()
  const { client } = useStore()
  const create = useCreate(client.domains.create, (made: Domain, body) => client.domains.update(made.id, body))
  const form = useForm(
    valuesOf(domain),
    (changes, values, newest: Domain | undefined) =>
      domain ? client.domains.update(domain.id, changes, { ifMatch: newest ?? domain }) : create(values),
    domain && { read: () => client.domains.get(domain.id), valuesOf },
  )
  return (
    <FormDialog
      title={domain ? words.editDomain : words.newDomain}
      act={domain ? controls.save : controls.add}
      form={form}
      shown={['host']}
      {...rest}
    >
      <TextField label={words.host} help={words.hostHelp} dir="ltr" maxLength={253} {...form.field('host')} />
      {!domain?.is_primary && (
        <CheckField
          label={words.makePrimary}
          checked={form.values.is_primary}
          onChange={(is_primary) => form.set({ is_primary })}
        />
      )}
    </FormDialog>
  )
}

export const Domains = () => {
  const words = useSettingsWords()
  const { can } = useStore()
  const { client, rows, error, opened, open, close, saved, deleted, reload } = useRows<Domain>(
    'domains',
    async (client, signal) =>
      (await client.domains.list({ page_size: 200, order_direction: 'ASC' }, { signal })).domains,
  )
  const form = { onDone: saved, onClose: close, onReload: reload }
  return (
    <>
      <Rows<Domain>
        title={words.sections.domains}
        add={can('domain:create') ? { label: words.newDomain, onAdd: () => open({ kind: 'new' }) } : undefined}
        rows={rows}
        error={error}
        keyOf={({ id }) => id}
        nameOf={({ host }) => host}
        show={({ host, unicode_host, is_primary }) => (
          <>
            <strong>
              <Ltr>{unicode_host}</Ltr> {is_primary && <Badge tone="good">{words.primary}</Badge>}
            </strong>
            {unicode_host !== host && (
              <small>
                <Ltr>{host}</Ltr>
              </small>
            )}
          </>
        )}
        onEdit={can('domain:update') ? (row) => open({ kind: 'edit', row }) : undefined}
        onDelete={
          can('domain:delete') ? (row) => (row.is_primary ? undefined : () => open({ kind: 'delete', row })) : undefined
        }
        empty={{ title: words.sections.domains, help: words.hostHelp }}
      />
      {opened?.kind === 'new' && <DomainForm {...form} />}
      {opened?.kind === 'edit' && (
        <Newest name="domains" id={opened.row.id} get={(id) => client.domains.get(id)}>
          {(domain) => <DomainForm domain={domain} {...form} />}
        </Newest>
      )}
      {opened?.kind === 'delete' && (
        <Newest name="domains" id={opened.row.id} get={(id) => client.domains.get(id)}>
          {(domain) => (
            <ConfirmDelete
              title={words.deleteDomain(domain.unicode_host)}
              help={words.deleteDomainHelp}
              onDelete={() => client.domains.delete(domain.id, { ifMatch: domain }).then(deleted)}
              onClose={close}
            />
          )}
        </Newest>
      )}
    </>
  )
}
