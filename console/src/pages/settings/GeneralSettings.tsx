import { useStore } from '../../api/store.tsx'
import { AreaField, SelectField, TextField } from '../../components/Field.tsx'
import { Surface } from '../../components/Page.tsx'
import { useCountryChoices } from '../../components/useCountryChoices.ts'
import { useWords } from '../../messages/messages.ts'
import { languageChoices } from '../../messages/names.ts'
import { useCustomerWords } from '../customers/words.ts'
import { SettingsForm, WithSettings } from './SettingsForm.tsx'
import styles from './SettingsPage.module.css'
import { type Settings, useSettingsForm } from './useSettingsForm.ts'
import { useSettingsWords } from './words.ts'

const FIELDS = [
  'name',
  'currency',
  'time_zone',
  'language',
  'country_id',
  'contact_email',
  'contact_phone',
  'contact_address',
] as const

/** Null in the API if empty. */
const NULLABLE = new Set<string>(['country_id', 'contact_email', 'contact_phone', 'contact_address'])

const timeZones = (current: string) => {
  const known = Intl.supportedValuesOf('timeZone')
  return [...new Set(['UTC', current, ...known])].sort().map((zone) => ({ value: zone, label: zone }))
}

const currencies = (locale: string, current: string) => {
  const names = new Intl.DisplayNames(locale, { type: 'currency' })
  return [...new Set([current, ...Intl.supportedValuesOf('currency')])]
    .sort()
    .map((code) => ({ value: code, label: `${code} · ${names.of(code) ?? code}` }))
}

type Values = Record<(typeof FIELDS)[number], string>

const valuesOf = (settings: Settings) =>
  Object.fromEntries(FIELDS.map((name) => [name, settings[name] ?? ''])) as Values

const bodyOf = (changes: Partial<Values>) =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name, NULLABLE.has(name) ? value.trim() || null : value]),
  )

const General = ({ settings, onReload }: { settings: Settings; onReload: () => unknown }) => {
  const words = useSettingsWords()
  const customers = useCustomerWords()
  const { locale } = useWords()
  const { can } = useStore()
  const countries = useCountryChoices(customers.noCountry)
  const form = useSettingsForm(settings, valuesOf, bodyOf)
  const isReadOnly = !can('setting:update')
  return (
    <SettingsForm form={form} shown={FIELDS} onReload={onReload}>
      <Surface padded>
        <h2>{words.store}</h2>
        <TextField label={words.name} maxLength={255} dir="auto" disabled={isReadOnly} {...form.field('name')} />
        <div className={styles.pair}>
          <SelectField
            label={words.currency}
            help={words.currencyHelp}
            disabled={isReadOnly}
            choices={currencies(locale, settings.currency)}
            {...form.field('currency')}
          />
          <SelectField
            label={words.timeZone}
            help={words.timeZoneHelp}
            disabled={isReadOnly}
            choices={timeZones(settings.time_zone)}
            {...form.field('time_zone')}
          />
        </div>
        <div className={styles.pair}>
          <SelectField
            label={words.language}
            choices={languageChoices(locale, settings.language)}
            disabled={isReadOnly}
            {...form.field('language')}
          />
          <SelectField
            label={customers.country}
            help={words.countryHelp}
            choices={countries}
            disabled={isReadOnly}
            {...form.field('country_id')}
          />
        </div>
      </Surface>
      <Surface padded>
        <h2>{words.contact}</h2>
        <div className={styles.pair}>
          <TextField
            label={words.email}
            type="email"
            dir="ltr"
            disabled={isReadOnly}
            {...form.field('contact_email')}
          />
          <TextField
            label={words.phone}
            type="tel"
            dir="ltr"
            maxLength={50}
            disabled={isReadOnly}
            {...form.field('contact_phone')}
          />
        </div>
        <AreaField
          label={words.address}
          rows={2}
          maxLength={500}
          dir="auto"
          disabled={isReadOnly}
          {...form.field('contact_address')}
        />
      </Surface>
    </SettingsForm>
  )
}

export const GeneralSettings = () => (
  <WithSettings>
    {(settings, onReload, version) => <General key={version} settings={settings} onReload={onReload} />}
  </WithSettings>
)
