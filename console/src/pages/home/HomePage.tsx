import { useStore } from '../../api/store.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Page } from '../../components/Page.tsx'
import { Segments } from '../../components/Segments.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { Attention, OutOfStock } from './Attention.tsx'
import { DeliverySuccess } from './DeliverySuccess.tsx'
import styles from './HomePage.module.css'
import { RunningLow } from './RunningLow.tsx'
import { Sales } from './Sales.tsx'
import { useHomeTitle } from './title.ts'
import { useHomeWords } from './words.ts'

const PERIODS = [30, 90, 365] as const

const HomePage = () => {
  const words = useHomeWords()
  const title = useHomeTitle()
  const { store, can } = useStore()
  const { params, change } = useAddress()
  const days = PERIODS.find((days) => String(days) === params.get('days')) ?? 30
  const mayCount = can('analytic:view')
  const mayAct = ['order:view', 'review:view', 'product:view'].some(can)
  return (
    <Page
      title={<span dir="auto">{store.name}</span>}
      name={title}
      actions={
        mayCount && (
          <Segments
            label={words.period}
            values={PERIODS}
            nameOf={words.days}
            chosen={days}
            onChoose={(period) => change({ days: period === 30 ? undefined : String(period) }, { replace: true })}
          />
        )
      }
    >
      {mayCount && <Sales days={days} />}
      <div className={styles.columns}>
        {mayAct && (
          <div className={styles.stack}>
            <Attention />
            {can('product:view') && <OutOfStock />}
            {mayCount && can('product:view') && <RunningLow days={days} />}
          </div>
        )}
        {mayCount && <DeliverySuccess days={days} />}
      </div>
      {!mayCount && !mayAct && <Empty title={words.nothing}>{words.nothingHelp}</Empty>}
    </Page>
  )
}

export default HomePage
