import { useQueryClient } from '@tanstack/react-query'
import { PhoneCall } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Empty } from '../../components/Empty.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { Problem } from '../../components/Problem.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useHotkeys } from '../../components/useHotkeys.ts'
import { useMessages } from '../../messages/messages.ts'
import { useSettings } from '../orders/useSettings.ts'
import styles from './Confirm.module.css'
import { Desk } from './Desk.tsx'
import { useConfirmTitle } from './title.ts'
import { useClaim } from './useClaim.ts'
import { useClaims } from './useClaims.ts'
import { useUndo } from './useUndo.ts'
import { useConfirmWords } from './words.ts'

/** No order waits because none is asked to. */
const SwitchOn = () => {
  const words = useConfirmWords()
  const { store, client, can } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const switchOn = async () => {
    setBusy(true)
    setError(undefined)
    try {
      queries.setQueryData(
        [store.id, 'settings'],
        await client.setting.updateSettings({ order_desk: { confirm: true } }),
      )
      toast(words.switchedOn)
    } catch (error) {
      setError(error)
    }
    setBusy(false)
  }
  return (
    <Empty title={words.off} icon={<PhoneCall />}>
      <p>{words.offHelp}</p>
      {can('setting:update') ? (
        <p className={styles.emptyAct}>
          <Button kind="primary" busy={busy} onClick={switchOn}>
            {words.switchOn}
          </Button>
        </p>
      ) : (
        <p>{words.askOwner}</p>
      )}
      <Problem error={error} />
    </Empty>
  )
}

const NobodyToCall = ({ claim }: { claim: ReturnType<typeof useClaim> }) => {
  const words = useConfirmWords()
  const settings = useSettings()
  if (claim.hasPassed)
    return (
      <Empty title={words.later} icon={<PhoneCall />}>
        <p>{words.laterHelp}</p>
        <p className={styles.emptyAct}>
          <Button busy={claim.busy} onClick={claim.again}>
            {words.again}
          </Button>
        </p>
      </Empty>
    )
  if (settings.data && !settings.data.order_desk.confirm) return <SwitchOn />
  return (
    <Empty title={words.empty} icon={<PhoneCall />}>
      {words.emptyHelp}
    </Empty>
  )
}

const InAnotherTab = ({ claim }: { claim: ReturnType<typeof useClaim> }) => {
  const words = useConfirmWords()
  return (
    <Empty title={words.elsewhere} icon={<PhoneCall />}>
      <p>{words.elsewhereHelp}</p>
      <p className={styles.emptyAct}>
        <Button kind="primary" onClick={claim.takeHere}>
          {words.goOnHere}
        </Button>
      </p>
    </Empty>
  )
}

/** Who else is calling whom right now. */
const OtherCallers = ({ claims }: { claims: ReturnType<typeof useClaims> }) => {
  const words = useConfirmWords()
  const { store } = useStore()
  if (claims.length === 0) return null
  return (
    <section className={styles.callers} aria-label={words.callers}>
      <h2>{words.callers}</h2>
      <ul>
        {claims.map(({ order_id, order_ref, by }) => (
          <li key={order_id}>
            <bdi>{by}</bdi> ·{' '}
            <Link href={`/s/${store.id}/orders/${order_id}`}>
              <Ltr>{order_ref}</Ltr>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** No order is in hand, or not yet. */
const Without = ({ claim }: { claim: ReturnType<typeof useClaim> }) => {
  if (claim.isElsewhere) return <InAnotherTab claim={claim} />
  return claim.order === null ? <NobodyToCall claim={claim} /> : <Skeleton lines={6} />
}

/** Orders that wait for a call, one at a time. */
const ConfirmPage = () => {
  const { controls } = useMessages()
  const title = useConfirmTitle()
  const claim = useClaim()
  const { order, error } = claim
  const claims = useClaims(claim)
  const words = useConfirmWords()
  const { done, undoLast } = useUndo(claim.take)
  useHotkeys({ u: ({ repeat }) => !repeat && !claim.isElsewhere && undoLast() })
  usePageKeys([['u', words.undo]])
  return (
    <Page title={title}>
      {order && <Desk key={order.id} order={order} claim={claim} onRecorded={done} />}
      {!order && (
        <Surface padded>
          {error !== undefined && (
            <>
              <Problem error={error} />
              <p>
                <Button busy={claim.busy} onClick={() => claim.take()}>
                  {controls.retry}
                </Button>
              </p>
            </>
          )}
          {error === undefined && <Without claim={claim} />}
        </Surface>
      )}
      <OtherCallers claims={claims} />
    </Page>
  )
}

export default ConfirmPage
