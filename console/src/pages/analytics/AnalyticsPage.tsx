import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useAddress, withChanges } from '../../components/useAddress.ts'
import { daysBefore, todayIn } from '../home/days.ts'
import styles from './Analytics.module.css'
import { LandingPages } from './LandingPages.tsx'
import { Levels } from './Levels.tsx'
import { intervalsFor, type Period, readPeriod } from './period.ts'
import { Customers, Delivery, Products, Sales, Stock } from './sections.tsx'
import { useAnalyticsTitle } from './title.ts'
import { useAnalyticsWords } from './words.ts'

const SECTIONS = {
  sales: Sales,
  products: Products,
  customers: Customers,
  'landing-pages': LandingPages,
  delivery: Delivery,
  levels: Levels,
  stock: Stock,
}
type Section = keyof typeof SECTIONS

const PRESETS = [1, 7, 30, 90, 365]

const PeriodFields = ({ period, today }: { period: Period; today: string }) => {
  const words = useAnalyticsWords()
  const { params, change } = useAddress()
  const preset = period.to === today && PRESETS.includes(period.days) ? String(period.days) : ''
  const isOwn = preset === '' || params.has('own')
  return (
    <div className={styles.period}>
      <SelectField
        label={words.period}
        choices={[
          ...PRESETS.map((days) => ({ value: String(days), label: words.periods[days] ?? '' })),
          { value: '', label: words.own },
        ]}
        value={isOwn ? '' : preset}
        onChange={({ target }) =>
          target.value === ''
            ? change({ own: '1', from: period.from, to: period.to })
            : change({
                own: undefined,
                from: daysBefore(today, Number(target.value) - 1),
                to: undefined,
                interval: undefined,
              })
        }
      />
      {isOwn && (
        <>
          <TextField
            label={words.from}
            type="date"
            required
            value={period.from}
            max={today}
            onChange={({ target }) => target.value && change({ own: '1', from: target.value, to: period.to })}
          />
          <TextField
            label={words.to}
            type="date"
            required
            value={period.to}
            max={today}
            onChange={({ target }) => target.value && change({ own: '1', from: period.from, to: target.value })}
          />
        </>
      )}
      <SelectField
        label={words.interval}
        choices={[...intervalsFor(period.days)].map((value) => ({ value, label: words.intervals[value] }))}
        value={period.interval}
        onChange={({ target }) => change({ interval: target.value }, { replace: true })}
      />
    </div>
  )
}

const AnalyticsPage = () => {
  const words = useAnalyticsWords()
  const title = useAnalyticsTitle()
  const { store } = useStore()
  const { params, search } = useAddress()
  const today = todayIn(store.time_zone)
  const period = readPeriod(params, today)
  const asked = params.get('section') ?? ''
  const section: Section = asked in SECTIONS ? (asked as Section) : 'sales'
  const Shown = SECTIONS[section]
  return (
    <Page title={title}>
      <nav className={styles.tabs} aria-label={title}>
        {Object.keys(SECTIONS).map((name) => (
          <Link
            key={name}
            href={`/s/${store.id}/analytics?${withChanges(search, { section: name, product: undefined, landing: undefined, sort: undefined })}`}
            aria-current={name === section ? 'page' : undefined}
          >
            {words.sections[name as Section]}
          </Link>
        ))}
      </nav>
      <Surface padded>
        <PeriodFields period={period} today={today} />
        <p className={styles.help}>{words.zone(store.time_zone)}</p>
        {!period.isValid && (
          <p role="alert" className={styles.wrong}>
            {words.badPeriod}
          </p>
        )}
      </Surface>
      {period.isValid && <Shown key={section} period={period} />}
    </Page>
  )
}

export default AnalyticsPage
