import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type Client, useStore } from '../../api/store.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCountryChoices } from '../../components/useCountryChoices.ts'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import styles from './CustomerPage.module.css'
import { useCustomerWords } from './words.ts'

export type Customer = Awaited<ReturnType<Client['customers']['get']>>

const FIELDS = [
  'name',
  'email',
  'phone',
  'address',
  'city',
  'postal_code',
  'country_id',
  'subscription_status',
] as const

type Values = Record<(typeof FIELDS)[number], string>

const valuesOf = (customer: Customer | undefined): Values => ({
  name: customer?.name ?? '',
  email: customer?.email ?? '',
  phone: customer?.phone ?? '',
  address: customer?.address ?? '',
  city: customer?.city ?? '',
  postal_code: customer?.postal_code ?? '',
  country_id: customer?.country_id ?? '',
  subscription_status: customer?.subscription_status ?? 'not_subscribed',
})

/** Empty fields are null in the API, but for the name and the email. */
const bodyOf = (changes: Partial<Values>) =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      name === 'name' || name === 'email' ? value.trim() : value.trim() || null,
    ]),
  ) as Parameters<Client['customers']['update']>[1]

/** Creates a customer, or changes one. */
export const CustomerForm = ({
  customer: newest,
  onDone,
  onClose,
}: {
  customer?: Customer
  onDone?: (customer: Customer) => void
  onClose: () => void
}) => {
  const words = useCustomerWords()
  const { controls } = useMessages()
  const { store, client } = useStore()
  // The version from when the form was opened: the page behind keeps refetching.
  const [customer] = useState(newest)
  const queries = useQueryClient()
  const toast = useToast()
  const countries = useCountryChoices(words.noCountry)
  const saved = useRef<Customer>(undefined)
  const create = useCreate(client.customers.create, (made: Customer, body) => client.customers.update(made.id, body))
  const form = useForm(
    valuesOf(customer),
    async (changes, values, newest: Customer | undefined) => {
      saved.current = customer
        ? await client.customers.update(customer.id, bodyOf(changes), { ifMatch: newest ?? customer })
        : await create({ ...bodyOf(values), email: values.email.trim() })
      await queries.invalidateQueries({ queryKey: [store.id, 'customers'] })
      toast(customer ? words.saved : words.created)
    },
    customer && { read: () => client.customers.get(customer.id), valuesOf },
  )
  return (
    <FormDialog
      title={customer ? words.edit : words.create}
      act={customer ? controls.save : words.create}
      form={form}
      shown={FIELDS}
      wide
      onDone={() => saved.current && onDone?.(saved.current)}
      onClose={onClose}
      onReload={() => queries.invalidateQueries({ queryKey: [store.id, 'customers'] }).then(onClose)}
    >
      <div className={styles.form}>
        <TextField label={words.name} maxLength={255} dir="auto" {...form.field('name')} />
        <TextField label={words.email} type="email" dir="ltr" required {...form.field('email')} />
        <TextField label={words.phone} type="tel" dir="ltr" maxLength={50} {...form.field('phone')} />
        <TextField label={words.address} maxLength={500} dir="auto" {...form.field('address')} />
        <TextField label={words.city} maxLength={255} dir="auto" {...form.field('city')} />
        <TextField label={words.postalCode} maxLength={32} dir="ltr" {...form.field('postal_code')} />
        <SelectField label={words.country} choices={countries} {...form.field('country_id')} />
        <SelectField
          label={words.newsletter}
          choices={[
            { value: 'not_subscribed', label: words.notSubscribed },
            { value: 'subscribed', label: words.subscribed },
          ]}
          {...form.field('subscription_status')}
        />
      </div>
    </FormDialog>
  )
}
