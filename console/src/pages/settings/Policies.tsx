import { type Client, useStore } from '../../api/store.tsx'
import { Badge } from '../../components/Badge.tsx'
import { AreaField, CheckField, SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Newest } from '../../components/Newest.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { Rows } from './Rows.tsx'
import { useRows } from './useRows.ts'
import { useSettingsWords } from './words.ts'

type Policy = Awaited<ReturnType<Client['policies']['get']>>

const FIELDS = ['type', 'title', 'slug', 'content'] as const

interface FormProps {
  policy?: Policy
  onDone: () => unknown
  onClose: () => void
  onReload: () => unknown
}

const valuesOf = (policy?: Policy) => ({
  type: policy?.type ?? ('custom' as Policy['type']),
  title: policy?.title ?? '',
  slug: policy?.slug ?? '',
  content: policy?.content ?? '',
  is_published: policy?.is_published ?? false,
})

const PolicyForm = ({ policy, ...rest }: FormProps) => {
  const words = useSettingsWords()
  const { controls } = useMessages()
  const { client } = useStore()
  const create = useCreate(client.policies.create, (made: Policy, body) => client.policies.update(made.id, body))
  const form = useForm(
    valuesOf(policy),
    (changes, { slug, ...values }, newest: Policy | undefined) =>
      policy
        ? client.policies.update(policy.id, changes, { ifMatch: newest ?? policy })
        : create({ ...values, ...(slug && { slug }) }),
    policy && { read: () => client.policies.get(policy.id), valuesOf },
  )
  return (
    <FormDialog
      title={policy ? words.editPolicy : words.newPolicy}
      act={policy ? controls.save : controls.add}
      form={form}
      shown={FIELDS}
      wide
      {...rest}
    >
      <SelectField
        label={words.type}
        choices={Object.entries(words.policyTypes).map(([value, label]) => ({ value, label }))}
        {...form.field('type')}
      />
      <TextField label={words.policyTitle} maxLength={255} dir="auto" {...form.field('title')} />
      <TextField label={words.slug} help={words.slugHelp} maxLength={120} dir="ltr" {...form.field('slug')} />
      <AreaField label={words.content} help={words.contentHelp} rows={8} dir="auto" {...form.field('content')} />
      <CheckField
        label={words.publish}
        checked={form.values.is_published}
        onChange={(is_published) => form.set({ is_published })}
      />
    </FormDialog>
  )
}

export const Policies = () => {
  const words = useSettingsWords()
  const { can } = useStore()
  const { client, rows, error, opened, open, close, saved, remove, reload } = useRows<Policy>(
    'policies',
    async (client, signal) =>
      (await client.policies.list({ page_size: 200, order_direction: 'ASC' }, { signal })).policies,
  )
  const form = { onDone: saved, onClose: close, onReload: reload }
  return (
    <>
      <Rows<Policy>
        title={words.sections.policies}
        add={can('policy:create') ? { label: words.newPolicy, onAdd: () => open({ kind: 'new' }) } : undefined}
        rows={rows}
        error={error}
        keyOf={({ id }) => id}
        nameOf={({ title }) => title}
        show={({ title, type, slug, is_published }) => (
          <>
            <strong>
              <bdi>{title}</bdi>{' '}
              {is_published ? <Badge tone="good">{words.published}</Badge> : <Badge>{words.draft}</Badge>}
            </strong>
            <small>
              {words.policyTypes[type]} · <Ltr>{slug}</Ltr>
            </small>
          </>
        )}
        onEdit={can('policy:update') ? (row) => open({ kind: 'edit', row }) : undefined}
        onDelete={
          can('policy:delete')
            ? ({ id, title }) =>
                () =>
                  remove(
                    { id, name: title },
                    { read: client.policies.get, remove: client.policies.delete },
                    words.deletePolicyHelp,
                  )
            : undefined
        }
        empty={{ title: words.noPolicies, help: words.noPoliciesHelp }}
      />
      {opened?.kind === 'new' && <PolicyForm {...form} />}
      {opened?.kind === 'edit' && (
        <Newest name="policies" id={opened.row.id} get={(id) => client.policies.get(id)}>
          {(policy) => <PolicyForm policy={policy} {...form} />}
        </Newest>
      )}
    </>
  )
}
