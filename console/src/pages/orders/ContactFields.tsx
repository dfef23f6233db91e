import { AreaField, SelectField, TextField } from '../../components/Field.tsx'
import { useCountryChoices } from '../../components/useCountryChoices.ts'
import type { Contact } from './contact-fields.ts'
import { useEditWords } from './edit-words.ts'
import styles from './OrderForm.module.css'

type FieldOf = (name: keyof Contact) => Omit<Parameters<typeof TextField>[0], 'label'>

/** For whom an order is, and where it goes. What is changed most often comes first. */
export const ContactFields = ({ field }: { field: FieldOf }) => {
  const words = useEditWords()
  const countries = useCountryChoices(words.noCountry)
  return (
    <div className={styles.contact}>
      <div className={styles.whole}>
        <AreaField
          label={words.address}
          rows={2}
          maxLength={500}
          dir="auto"
          autoComplete="off"
          {...(field('customer_address') as object)}
        />
      </div>
      <TextField label={words.city} maxLength={255} dir="auto" {...field('customer_city')} />
      <TextField label={words.state} maxLength={255} dir="auto" {...field('customer_state')} />
      <TextField label={words.phone} type="tel" maxLength={50} dir="ltr" {...field('customer_phone')} />
      <TextField label={words.postalCode} maxLength={32} dir="ltr" {...field('customer_postal_code')} />
      <TextField label={words.firstName} maxLength={120} dir="auto" {...field('customer_first_name')} />
      <TextField label={words.lastName} maxLength={120} dir="auto" {...field('customer_last_name')} />
      <TextField
        label={words.email}
        help={words.emailHelp}
        type="email"
        maxLength={254}
        dir="ltr"
        {...field('customer_email')}
      />
      <SelectField label={words.country} choices={countries} {...(field('country_id') as object)} />
    </div>
  )
}
