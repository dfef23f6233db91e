import { dateFormat } from '../messages/formats.ts'
import { useWords } from '../messages/messages.ts'

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' }
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }

interface WhenProps {
  at: string
  zone?: string | undefined
  /** Without the time. */
  day?: boolean
  /** With the year, as what is kept on paper needs it. */
  year?: boolean
}

/** A moment in the store's time zone. Days of this year go without it. */
export const When = ({ at, zone, day = false, year: withYear = false }: WhenProps) => {
  const { locale } = useWords()
  const date = new Date(at)
  const timeZone = zone ? { timeZone: zone } : {}
  const { year, ...short } = DAY
  const recent = !withYear && date.getFullYear() === new Date().getFullYear()
  const options = { ...(recent ? short : { ...short, year }), ...(day ? {} : TIME), ...timeZone }
  const full = () => dateFormat(locale, { dateStyle: 'full', timeStyle: 'long', ...timeZone }).format(date)
  return (
    // The title is written when somebody points at it: to format it takes longer than all else in a row.
    <time
      dateTime={at}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = full()
      }}
    >
      {dateFormat(locale, options).format(date)}
    </time>
  )
}
