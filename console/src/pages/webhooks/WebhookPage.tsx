import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pause, Play } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { Link, useParams } from 'wouter'
import { developerApi, type WebhookInfo } from '../../api/developer.ts'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Loaded } from '../../components/Loaded.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Menu, MenuItem } from '../../components/Menu.tsx'
import { Surface } from '../../components/Page.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { When } from '../../components/When.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useMessages, useWords } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import styles from '../developer/Developer.module.css'
import { useDeveloperWords } from '../developer/words.ts'
import { Deliveries } from './Deliveries.tsx'
import { RotateDialog, SecretDialog } from './RotateDialog.tsx'
import { useAnswer, WebhookState } from './State.tsx'
import { useWebhookWords } from './words.ts'

const REFRESH_MS = 5_000

const Facts = ({ webhook }: { webhook: WebhookInfo }) => {
  const developer = useDeveloperWords()
  const words = useWebhookWords()
  const { locale } = useWords()
  const number = (value: number) => numberFormat(locale).format(value)
  const when = (at: string | null) => at && <When at={at} />
  const facts: [string, ReactNode][] = [
    [words.state, <WebhookState key="state" webhook={webhook} />],
    [words.address, <Ltr key="address">{webhook.url}</Ltr>],
    [developer.store, <bdi key="store">{webhook.store}</bdi>],
    [words.types, <Ltr key="types">{webhook.types.join(', ')}</Ltr>],
    [words.behind, number(webhook.behind)],
    [words.waiting, number(webhook.waiting)],
    [words.failed, number(webhook.failed)],
    [words.failingSince, when(webhook.failing_since)],
    [words.pausedAt, when(webhook.paused_at)],
    [words.oldSecretUntil, when(webhook.previous_secret_until)],
    [words.payload, words.payloads[webhook.payload]],
    [words.parallel, number(webhook.lanes)],
    [words.createdAt, when(webhook.created_at)],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([label, value]) =>
        value === null ? (
          <Fragment key={label} />
        ) : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

type Opened = 'skip' | 'replay' | 'rotate'

/** Does something, says so, and reads the webhook again, whether it worked or not. */
const useActs = (app: string, id: string) => {
  const messages = useMessages()
  const toast = useToast()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const renew = () => queries.invalidateQueries({ queryKey: ['developer', app] })
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      const { message, fields } = describeError(error, messages)
      toast(Object.values(fields).flat()[0] ?? message, { bad: true })
    } finally {
      await renew()
      setBusy(false)
    }
  }
  const developer = useDeveloperWords()
  const words = useWebhookWords()
  const answer = useAnswer()
  const pause = () =>
    act(async () => {
      await developerApi.pauseWebhook(app, id)
      toast(words.paused, { action: { label: developer.undo, run: () => resume() } })
    })
  const resume = (): Promise<void> =>
    act(async () => {
      await developerApi.resumeWebhook(app, id, 'stopped')
      toast(words.resumed, { action: { label: developer.undo, run: () => pause() } })
    })
  const test = () =>
    act(async () => {
      const { test } = await developerApi.testWebhook(app, id)
      if (test.is_delivered) toast(words.testDelivered(String(test.status), String(test.ms)))
      else toast(words.testFailed(answer(test)), { bad: true })
    })
  const sendAgain = (what: { failed: true } | { ids: string[] }) =>
    developerApi.replayWebhook(app, id, what).then(({ events }) => toast(words.sentAgain(events)))
  return { busy, act, renew, pause, resume, test, sendAgain }
}

/** One webhook: how it is doing, what the receiver said, and what can be done about it. */
const WebhookPage = () => {
  const { controls } = useMessages()
  const words = useWebhookWords()
  const app = useAppId()
  const { webhook: id = '' } = useParams<{ webhook: string }>()
  const { params } = useAddress()
  const [opened, open] = useState<Opened>()
  const [secret, setSecret] = useState<string>()
  const asked = new URLSearchParams(
    ['state', 'cursor'].flatMap((name) => (params.get(name) ? [[name, params.get(name) ?? '']] : [])),
  )
  const query = useQuery({
    queryKey: ['developer', app, 'webhook', id, asked.toString()],
    queryFn: () => developerApi.webhook(app, id, asked),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const { busy, act, renew, pause, resume, test, sendAgain } = useActs(app, id)
  const webhook = query.data?.webhook
  const isPaused = webhook?.state === 'paused'
  const close = () => open(undefined)
  const actions = webhook && (
    <>
      <Button busy={busy} onClick={test}>
        {words.test}
      </Button>
      {isPaused ? (
        <Button kind="primary" icon={<Play />} busy={busy} onClick={resume}>
          {words.resume}
        </Button>
      ) : (
        <Button icon={<Pause />} busy={busy} onClick={pause}>
          {words.pause}
        </Button>
      )}
      <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={controls.more} />}>
        {webhook.failed > 0 && <MenuItem onSelect={() => open('replay')}>{words.replayFailed}</MenuItem>}
        <MenuItem onSelect={() => open('rotate')}>{words.rotate}</MenuItem>
        <MenuItem danger onSelect={() => open('skip')}>
          {words.skip}
        </MenuItem>
      </Menu>
    </>
  )
  return (
    <AppFrame section="webhooks" actions={actions}>
      <Surface>
        <Loaded query={query}>
          {webhook?.reason && <p className={styles.note}>{words.reasons[webhook.reason]}</p>}
          {webhook && <Facts webhook={webhook} />}
        </Loaded>
      </Surface>
      {query.data && (
        <Deliveries
          hrefOf={(event) => `/apps/${app}/events/${event}?store=${query.data.webhook.store_id}`}
          deliveries={query.data.deliveries}
          next={query.data.next_cursor}
          onAgain={(event) => act(() => sendAgain({ ids: [event] }))}
          busy={busy}
        />
      )}
      <p>
        <Link href={`/apps/${app}/webhooks`}>{controls.back}</Link>
      </p>
      {opened === 'skip' && (
        <Confirm
          title={words.skipAsk}
          act={words.skipAct}
          danger
          onClose={close}
          onConfirm={() => developerApi.resumeWebhook(app, id, 'now').finally(renew)}
        >
          {words.skipHelp}
        </Confirm>
      )}
      {opened === 'replay' && webhook && (
        <Confirm
          title={words.replayAsk(webhook.failed)}
          act={words.sendAgain}
          onClose={close}
          onConfirm={() => sendAgain({ failed: true }).finally(renew)}
        >
          {words.replayHelp}
        </Confirm>
      )}
      {opened === 'rotate' && <RotateDialog app={app} webhook={id} onSecret={setSecret} onClose={close} />}
      {secret !== undefined && !opened && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </AppFrame>
  )
}

export default WebhookPage
