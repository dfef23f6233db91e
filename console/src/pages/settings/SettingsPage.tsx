import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useCurrentInView } from '../../components/useCurrentInView.ts'
import { Carriers } from './Carriers.tsx'
import { Domains } from './Domains.tsx'
import { GeneralSettings } from './GeneralSettings.tsx'
import { OrderSettings } from './OrderSettings.tsx'
import { PaymentMethods } from './PaymentMethods.tsx'
import { Policies } from './Policies.tsx'
import styles from './SettingsPage.module.css'
import { useSettingsTitle } from './title.ts'
import { useSettingsWords } from './words.ts'

const SECTIONS = [
  { id: 'general', permission: 'setting:view', content: GeneralSettings, isForm: true },
  { id: 'orders', permission: 'setting:view', content: OrderSettings, isForm: true },
  { id: 'carriers', permission: 'shipping:view', content: Carriers },
  { id: 'payment', permission: 'payment_method:view', content: PaymentMethods },
  { id: 'domains', permission: 'domain:view', content: Domains },
  { id: 'policies', permission: 'policy:view', content: Policies },
] as const

const SettingsPage = () => {
  const words = useSettingsWords()
  const title = useSettingsTitle()
  const { can } = useStore()
  const { params, path } = useAddress()
  const allowed = SECTIONS.filter(({ permission }) => can(permission))
  const open = allowed.find(({ id }) => id === params.get('section')) ?? allowed[0]
  const Content = open?.content
  const isForm = open && 'isForm' in open
  const bar = useCurrentInView(open?.id ?? '')
  return (
    <Page title={title}>
      <nav className={styles.sections} aria-label={title}>
        <ul ref={bar}>
          {allowed.map(({ id }, index) => (
            <li key={id}>
              <Link
                href={index === 0 ? path : `${path}?section=${id}`}
                aria-current={id === open?.id ? 'page' : undefined}
              >
                {words.sections[id]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {Content && (isForm ? <Content /> : <Surface>{<Content />}</Surface>)}
    </Page>
  )
}

export default SettingsPage
