import { useQuery } from '@tanstack/react-query'
import { FileUp, ListFilter, Truck } from 'lucide-react'
import { Link } from 'wouter'
import type { ParcelState } from '../../../../src/resources/parcels/states.ts'
import { type Client, useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Money } from '../../components/Money.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { daysBefore, todayIn } from '../home/days.ts'
import styles from './Parcels.module.css'
import { useDeliveriesTitle } from './title.ts'
import { useParcelWords } from './words.ts'

const PERIODS = ['7', '30', '90', '365']
const SHOWN: readonly ParcelState[] = ['fulfilled', 'shipped', 'delivered', 'returning', 'returned']

type Row = Awaited<ReturnType<Client['parcels']['getParcelSummary']>>[number]

const Cash = ({ row, href }: { row: Row; href: (query: string) => string }) => {
  const { store } = useStore()
  const words = useParcelWords()
  const owed = row.cash.filter(({ owed_parcels }) => owed_parcels > 0)
  if (owed.length === 0) return <>–</>
  return (
    <div>
      {owed.map(({ currency, owed, owed_since }) => (
        <div key={currency}>
          <Link className={styles.link} href={href('cash=owed')}>
            <Money amount={owed} currency={currency} />
          </Link>
          {owed_since && (
            <small className={styles.help}>
              {' '}
              {words.owedSince} <When at={owed_since} zone={store.time_zone} day />
            </small>
          )}
        </div>
      ))}
    </div>
  )
}

const Received = ({ row }: { row: Row }) => {
  const received = row.cash.filter(({ received_parcels }) => received_parcels > 0)
  if (received.length === 0) return <>–</>
  return (
    <div>
      {received.map(({ currency, received }) => (
        <div key={currency}>
          <Money amount={received} currency={currency} />
        </div>
      ))}
    </div>
  )
}

/** Parcels by carrier and state, and what each carrier still owes. Every number opens its list. */
const CarriersPage = () => {
  const words = useParcelWords()
  const title = useDeliveriesTitle()
  const { store, client, can } = useStore()
  const { params, change, navigate } = useAddress()
  const days = PERIODS.find((period) => period === params.get('days')) ?? '30'
  const from = daysBefore(todayIn(store.time_zone), Number(days))
  const asked = useQuery({
    queryKey: [store.id, 'parcels', 'summary', from],
    queryFn: ({ signal }) => client.parcels.getParcelSummary({ from }, { signal }),
    refetchInterval: 30_000,
  })
  const list = `/s/${store.id}/deliveries/list`
  const rows = asked.data ?? []
  return (
    <Page
      title={title}
      actions={
        <>
          <Button icon={<ListFilter />} onClick={() => navigate(list)}>
            {words.list}
          </Button>
          {can('order:update') && (
            <Button kind="primary" icon={<FileUp />} onClick={() => navigate(`/s/${store.id}/deliveries/import`)}>
              {words.import}
            </Button>
          )}
        </>
      }
    >
      <Surface padded>
        <div className={styles.part}>
          <div className={styles.period}>
            <SelectField
              label={words.period}
              choices={PERIODS.map((value) => ({ value, label: words.days(Number(value)) }))}
              value={days}
              onChange={({ target }) => change({ days: target.value === '30' ? undefined : target.value })}
            />
          </div>
          <Loaded query={asked}>
            {rows.length === 0 ? (
              <Empty title={words.none} icon={<Truck />}>
                {words.noneHelp}
              </Empty>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: the box scrolls by itself.
              <section className={styles.box} tabIndex={0} aria-label={words.byCarrier}>
                <table className={styles.table}>
                  <caption className="hidden">{words.byCarrier}</caption>
                  <thead>
                    <tr>
                      <th scope="col">{words.carrier}</th>
                      {SHOWN.map((state) => (
                        <th key={state} scope="col" className={styles.number}>
                          {words.states[state]}
                        </th>
                      ))}
                      <th scope="col" className={styles.number}>
                        {words.owed}
                      </th>
                      <th scope="col" className={styles.number}>
                        {words.received}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => {
                      const { id, name } = row.shipping_carrier
                      const href = (query: string) => `${list}?carrier_id=${id}&${query}`
                      return (
                        <tr key={id}>
                          <th scope="row">
                            <Link className={styles.link} href={href('')}>
                              <bdi>{name}</bdi>
                            </Link>
                          </th>
                          {SHOWN.map((state) => (
                            <td key={state} className={styles.number} data-label={words.states[state]}>
                              {row.parcels[state] > 0 ? (
                                <Link
                                  className={styles.link}
                                  href={href(`state=${state}&from=${from}`)}
                                  aria-label={`${name}, ${words.states[state]}: ${row.parcels[state]}`}
                                >
                                  {row.parcels[state]}
                                </Link>
                              ) : (
                                0
                              )}
                            </td>
                          ))}
                          <td className={styles.number} data-label={words.owed}>
                            <Cash row={row} href={href} />
                          </td>
                          <td className={styles.number} data-label={words.received}>
                            <Received row={row} />
                          </td>
                        </tr>
                      )
                    })}
                  </tbody>
                </table>
              </section>
            )}
          </Loaded>
          <p className={styles.help}>{words.owedHelp}</p>
        </div>
      </Surface>
    </Page>
  )
}

export default CarriersPage
