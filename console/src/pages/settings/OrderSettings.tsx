import { useStore } from '../../api/store.tsx'
import { CheckField, SelectField, TextField, Theirs } from '../../components/Field.tsx'
import { Surface } from '../../components/Page.tsx'
import { numeric } from '../orders/line-totals.ts'
import { usePaymentMethods } from '../orders/usePaymentMethods.ts'
import { useOrderSettingWords } from './order-words.ts'
import { SettingsForm, WithSettings } from './SettingsForm.tsx'
import styles from './SettingsPage.module.css'
import { type Settings, useSettingsForm } from './useSettingsForm.ts'

const LIMITS = ['min_parcels', 'careful_below', 'bad_below', 'min_address', 'max_quantity'] as const

const CONFIRM = 'order_desk.confirm'
const METHODS = 'order_desk.confirm_payment_methods'
const RESTOCK = 'order_desk.restock_on_receipt'
const SHARE = 'order_desk.share_phone_counts'
const limit = (name: (typeof LIMITS)[number]) => `order_desk.${name}` as const

/** As typed, by the path that the API names in its errors. Payment methods are ids between commas. */
type Values = Record<typeof CONFIRM | typeof METHODS | typeof RESTOCK | typeof SHARE | ReturnType<typeof limit>, string>

const idsOf = (text: string) => text.split(',').filter((id) => id !== '')

const valuesOf = ({ order_desk }: Settings): Values => {
  const { confirm, confirm_payment_methods: methods, restock_on_receipt, share_phone_counts } = order_desk
  const limits = LIMITS.map((name) => [limit(name), String(order_desk[name])])
  return {
    ...(Object.fromEntries(limits) as Record<ReturnType<typeof limit>, string>),
    [CONFIRM]: !confirm ? 'off' : methods.length > 0 ? 'some' : 'all',
    [METHODS]: [...methods].sort().join(),
    [RESTOCK]: String(restock_on_receipt),
    [SHARE]: String(share_phone_counts),
  }
}

const bodyOf = (changes: Partial<Values>, values: Values, noMethod: string) => {
  const confirm = values[CONFIRM]
  const ids = idsOf(values[METHODS])
  if (confirm === 'some' && ids.length === 0) throw new Error(noMethod)
  const isConfirmChanged = CONFIRM in changes || METHODS in changes
  return {
    order_desk: {
      ...(isConfirmChanged && { confirm: confirm !== 'off' }),
      ...(isConfirmChanged && confirm !== 'off' && { confirm_payment_methods: confirm === 'some' ? ids : [] }),
      ...(RESTOCK in changes && { restock_on_receipt: values[RESTOCK] === 'true' }),
      ...(SHARE in changes && { share_phone_counts: values[SHARE] === 'true' }),
      ...Object.fromEntries(
        LIMITS.filter((name) => limit(name) in changes).map((name) => [name, numeric(values[limit(name)])]),
      ),
    },
  }
}

const choices = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const Orders = ({ settings, onReload }: { settings: Settings; onReload: () => unknown }) => {
  const words = useOrderSettingWords()
  const { can } = useStore()
  const methods = usePaymentMethods()
  const form = useSettingsForm(settings, valuesOf, (changes, values) => bodyOf(changes, values, words.noMethod))
  const isReadOnly = !can('setting:update')
  const chosen = idsOf(form.values[METHODS])
  const nameOf = (id: string) => methods.find((method) => method.id === id)?.name ?? words.otherMethod
  const listed = [...new Set([...methods.map(({ id }) => id), ...chosen])]
  const { theirs } = form.field(METHODS)
  return (
    <SettingsForm form={form} shown={Object.keys(form.values)} onReload={onReload}>
      <Surface padded>
        <h2>{words.confirmation}</h2>
        <SelectField
          label={words.confirm}
          help={words.confirmHelp}
          choices={choices(words.confirmChoices)}
          disabled={isReadOnly}
          {...form.field(CONFIRM)}
        />
        {form.values[CONFIRM] === 'some' && (
          <fieldset className={styles.methods}>
            <legend>{words.methods}</legend>
            {listed.map((id) => (
              <CheckField
                key={id}
                label={nameOf(id)}
                checked={chosen.includes(id)}
                disabled={isReadOnly}
                onChange={(on) =>
                  form.set({ [METHODS]: (on ? [...chosen, id] : chosen.filter((other) => other !== id)).sort().join() })
                }
              />
            ))}
            {theirs && <Theirs value={idsOf(theirs.value).map(nameOf).join(', ')} onTake={theirs.onTake} />}
          </fieldset>
        )}
      </Surface>
      <Surface padded>
        <h2>{words.returns}</h2>
        <SelectField
          label={words.restock}
          help={words.restockHelp}
          choices={choices(words.restockChoices)}
          disabled={isReadOnly}
          {...form.field(RESTOCK)}
        />
      </Surface>
      <Surface padded>
        <h2>{words.level}</h2>
        <p className={styles.about}>{words.levelHelp}</p>
        <div className={styles.pair}>
          {LIMITS.map((name) => (
            <TextField
              key={name}
              label={words.fields[name]}
              inputMode="numeric"
              dir="ltr"
              maxLength={9}
              disabled={isReadOnly}
              {...form.field(limit(name))}
            />
          ))}
        </div>
        {settings.can_share_phone_counts && (
          <SelectField
            label={words.share}
            help={words.shareHelp}
            choices={choices(words.shareChoices)}
            disabled={isReadOnly}
            {...form.field(SHARE)}
          />
        )}
      </Surface>
    </SettingsForm>
  )
}

export const OrderSettings = () => (
  <WithSettings>
    {(settings, onReload, version) => <Orders key={version} settings={settings} onReload={onReload} />}
  </WithSettings>
)
