import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type Client, useStore } from '../../api/store.tsx'
import { AreaField, SelectField, TextField } from '../../components/Field.tsx'
import { Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { SaveBar } from '../../components/SaveBar.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { languageChoices } from '../../messages/names.ts'
import { ME } from '../../session.tsx'
import styles from './SettingsPage.module.css'

type Settings = Awaited<ReturnType<Client['setting']['getSettings']>>

const FIELDS = [
  'name',
  'currency',
  'time_zone',
  'language',
  'contact_email',
  'contact_phone',
  'contact_address',
] as const

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

const valuesOf = (settings: Settings) =>
  Object.fromEntries(FIELDS.map((name) => [name, settings[name] ?? ''])) as Record<(typeof FIELDS)[number], string>

const SettingsForm = ({ settings, onReload }: { settings: Settings; onReload: () => unknown }) => {
  const { settings: words } = useMessages()
  const { locale } = useWords()
  const { store, client, can } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const id = useId()
  const form = useForm(
    valuesOf(settings),
    async (changes, _values, newest: Settings | undefined) => {
      const body = Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [
          name,
          name.startsWith('contact_') ? value.trim() || null : value,
        ]),
      )
      const saved = await client.setting.updateSettings(body, { ifMatch: newest ?? settings })
      queries.setQueryData([store.id, 'settings'], saved)
      // The name, the currency and the time zone are shown everywhere.
      await queries.invalidateQueries({ queryKey: ME })
    },
    { read: () => client.setting.getSettings(), valuesOf },
  )
  const isReadOnly = !can('setting:update')
  return (
    <>
      <form
        id={id}
        className={styles.general}
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (await form.submit()) toast(words.saved)
        }}
      >
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
          <SelectField
            label={words.language}
            choices={languageChoices(locale, settings.language)}
            disabled={isReadOnly}
            {...form.field('language')}
          />
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
      </form>
      {form.isDirty && (
        <SaveBar
          form={id}
          busy={form.busy}
          error={form.error}
          shown={FIELDS}
          onReload={onReload}
          onDiscard={() => form.reset()}
        />
      )}
    </>
  )
}

export const GeneralSettings = () => {
  const { store, client } = useStore()
  const [version, setVersion] = useState(0)
  const { data, error, refetch } = useQuery({
    queryKey: [store.id, 'settings'],
    queryFn: ({ signal }) => client.setting.getSettings({ signal }),
    // Does not replace what the user is typing.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
  if (!data) return <Problem error={error ?? undefined} />
  return <SettingsForm key={version} settings={data} onReload={() => refetch().then(() => setVersion(version + 1))} />
}
