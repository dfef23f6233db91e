import { Mail, MessageCircle, Phone } from 'lucide-react'
import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { AreaField, SelectField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { formatMoney } from '../../components/Money.tsx'
import { isLanguage, LANGUAGES, type Language, localeOf, useWords } from '../../messages/messages.ts'
import type { Order } from '../orders/labels.ts'
import { isPaidAtTheDoor } from '../orders/payment.ts'
import { telHref, whatsappHref } from '../orders/phone-links.ts'
import styles from './Abandoned.module.css'
import { useAbandonedWords, WORDS } from './words.ts'

const itemsOf = ({ variants }: Order) => variants.map(({ quantity, title }) => `${quantity} × ${title}`)

/** A message from a template, to be sent from the merchant's own phone or mail program. */
const ContactDialog = ({ order, onClose }: { order: Order; onClose: () => void }) => {
  const words = useAbandonedWords()
  const { language } = useWords()
  const { store } = useStore()
  const filled = (language: Language) =>
    WORDS[language].template(
      order.customer_name ?? '',
      itemsOf(order),
      formatMoney(localeOf(language), order.total, order.currency),
      store.name,
      isPaidAtTheDoor(order),
    )
  const [chosen, setChosen] = useState(language)
  /** What was typed, by language: another template takes nothing away. */
  const [typed, setTyped] = useState<Partial<Record<Language, string>>>({})
  const text = typed[chosen] ?? filled(chosen)
  const { customer_phone: phone, customer_email: email } = order
  const whatsapp = whatsappHref(order, text)
  const mail = new URLSearchParams({ subject: WORDS[chosen].subject(store.name), body: text })
  return (
    <Dialog title={words.contactOf(order.customer_name || order.ref)} onClose={onClose}>
      {!phone && !email && <p>{words.noContact}</p>}
      {(phone || email) && (
        <>
          <SelectField
            label={words.language}
            choices={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            value={chosen}
            onChange={({ target }) => isLanguage(target.value) && setChosen(target.value)}
          />
          <AreaField
            label={words.message}
            help={words.messageHelp}
            dir="auto"
            rows={8}
            value={text}
            onChange={({ target }) => setTyped({ ...typed, [chosen]: target.value })}
          />
        </>
      )}
      <ul className={styles.ways}>
        {phone && (
          <li>
            <a href={telHref(order)}>
              <Phone aria-hidden /> {words.call} <Ltr>{phone}</Ltr>
            </a>
          </li>
        )}
        {whatsapp && (
          <li>
            <a href={whatsapp} target="_blank" rel="noreferrer">
              <MessageCircle aria-hidden /> {words.whatsapp}
            </a>
          </li>
        )}
        {email && (
          <li>
            <a href={`mailto:${encodeURIComponent(email)}?${mail.toString().replaceAll('+', '%20')}`}>
              <Mail aria-hidden /> {words.mail} <Ltr>{email}</Ltr>
            </a>
          </li>
        )}
      </ul>
    </Dialog>
  )
}

export default ContactDialog
