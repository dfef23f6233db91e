import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plainPhone } from '../../../../src/core/input/phone.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { TextField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useSettled } from '../../components/useSettled.ts'
import { type Contact, contactOf, NO_CONTACT } from './contact-fields.ts'
import { useEditWords } from './edit-words.ts'
import styles from './OrderForm.module.css'

type Customer = Awaited<ReturnType<Client['customers']['get']>>

const MIN_SEARCH = 2
const ASKED = 20
const SHOWN = 8

const contactOfCustomer = (customer: Customer): Contact => {
  const [first = '', ...last] = customer.name.trim().split(/\s+/)
  return {
    ...NO_CONTACT,
    customer_first_name: first,
    customer_last_name: last.join(' '),
    customer_email: customer.email,
    customer_phone: customer.phone ?? '',
    customer_address: customer.address ?? '',
    customer_city: customer.city ?? '',
    customer_postal_code: customer.postal_code ?? '',
    country_id: customer.country_id ?? '',
  }
}

const nameOf = ({ customer_first_name, customer_last_name }: Contact) =>
  [customer_first_name, customer_last_name].filter(Boolean).join(' ')

/** Those who have ordered before, as they were at their last order, and then the other customers. Each person once. */
const usePeople = (search: string) => {
  const { store, client, can } = useStore()
  return useQuery({
    queryKey: [store.id, 'orders', 'people', search],
    enabled: search.length >= MIN_SEARCH,
    queryFn: async ({ signal }): Promise<Contact[]> => {
      const given = { search, page_size: ASKED, total: false } as const
      // Most who pay on delivery give no email, so they are in orders only.
      const [orders, customers] = await Promise.all([
        can('order:view') ? client.orders.list(given, { signal }).then((found) => found.orders) : [],
        can('customer:view') ? client.customers.list(given, { signal }).then((found) => found.customers) : [],
      ])
      const people = new Map<string, Contact>()
      const add = (contact: Contact, phone: string) => {
        const key = [plainPhone(phone).replace(/\D/g, '').slice(-8) || contact.customer_email, nameOf(contact)]
          .join('\n')
          .toLowerCase()
        if (!people.has(key)) people.set(key, contact)
      }
      for (const order of orders) add(contactOf(order), order.signals.phone ?? order.customer_phone)
      for (const customer of customers) add(contactOfCustomer(customer), customer.phone ?? '')
      return [...people.values()].slice(0, SHOWN)
    },
    placeholderData: keepPreviousData,
  })
}

/** Finds who has ordered before, by phone, name or email. */
export const CustomerFinder = ({
  onChoose,
  onClose,
}: {
  onChoose: (contact: Contact) => void
  onClose: () => void
}) => {
  const words = useEditWords()
  const [text, setText] = useState('')
  const search = useSettled(text.trim())
  const { data, error, isPlaceholderData } = usePeople(search)
  const isCurrent = search === text.trim() && !isPlaceholderData
  return (
    <Dialog
      title={words.findCustomer}
      onClose={onClose}
      // Enter takes the only one that matches.
      onSubmit={() => isCurrent && data?.length === 1 && onChoose(data[0] as Contact)}
    >
      <TextField
        label={words.findCustomerLabel}
        help={words.findCustomerHelp}
        dir="auto"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Problem error={error ?? undefined} />
      {data?.length === 0 && <p role="status">{words.noCustomer}</p>}
      <ul className={styles.found} aria-busy={!isCurrent}>
        {search.length >= MIN_SEARCH &&
          data?.map((contact) => (
            <li key={JSON.stringify(contact)}>
              <button type="button" className={styles.person} onClick={() => onChoose(contact)}>
                <span className={styles.what}>
                  <bdi>{nameOf(contact) || contact.customer_email}</bdi>
                  <small dir="auto">
                    {[contact.customer_address, contact.customer_city].filter(Boolean).join(', ') ||
                      contact.customer_email}
                  </small>
                </span>
                <Ltr>{contact.customer_phone}</Ltr>
              </button>
            </li>
          ))}
      </ul>
    </Dialog>
  )
}
