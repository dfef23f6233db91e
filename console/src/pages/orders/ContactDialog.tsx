import { useRef, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useCreate } from '../../components/useCreate.ts'
import { useForm } from '../../components/useForm.ts'
import { useMessages } from '../../messages/messages.ts'
import { useRenewOrder } from './actions.tsx'
import { ContactFields } from './ContactFields.tsx'
import { CONTACT_FIELDS, contactBody, contactOf } from './contact-fields.ts'
import { useEditWords } from './edit-words.ts'
import type { Order } from './labels.ts'

/** Changes for whom an order is and where it goes. */
const ContactDialog = ({
  order: newest,
  onDone,
  onClose,
}: {
  order: Order
  onDone?: (order: Order) => unknown
  onClose: () => void
}) => {
  const words = useEditWords()
  const { controls } = useMessages()
  const { client } = useStore()
  // As it was when the dialog was opened: the page behind keeps refetching.
  const [order] = useState(newest)
  const version = useRef(order)
  const saved = useRef<Order>(undefined)
  const renew = useRenewOrder()
  const toast = useToast()
  const save = useCreate(
    (body: ReturnType<typeof contactBody>, options) =>
      client.orders.update(order.id, body, { ...options, ifMatch: version.current }),
    (made: Order, body) => client.orders.update(order.id, body, { ifMatch: made }),
  )
  const form = useForm(
    contactOf(order),
    async (changes, _values, newest: Order | undefined) => {
      version.current = newest ?? order
      saved.current = await save(contactBody(changes))
    },
    { read: () => client.orders.get(order.id), valuesOf: contactOf },
  )
  return (
    <FormDialog
      wide
      title={words.editContact}
      act={controls.save}
      form={form}
      shown={CONTACT_FIELDS}
      onDone={async () => {
        await renew()
        toast(words.contactSaved)
        if (saved.current) await onDone?.(saved.current)
      }}
      onClose={onClose}
      onReload={() => renew().then(onClose)}
    >
      <ContactFields field={form.field} />
    </FormDialog>
  )
}

export default ContactDialog
