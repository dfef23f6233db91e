import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Download, KeyRound, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { canUsePasskeys, type FactorsInfo, secondFactorApi } from '../../api/second-factor.ts'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { download } from '../../components/download.ts'
import { TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Problem } from '../../components/Problem.tsx'
import { QrCode } from '../../components/QrCode.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { describeAgent } from './describe-agent.ts'
import styles from './SecondFactor.module.css'
import { useSecondFactorWords } from './second-factor-words.ts'

type Run = ReturnType<typeof useStepUp>['run']

/** Shown once, until the person says that they are kept. */
export const RecoveryCodes = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => {
  const words = useSecondFactorWords()
  const { controls } = useMessages()
  const toast = useToast()
  const text = codes.join('\n')
  return (
    <Dialog
      title={words.codesTitle}
      onClose={onClose}
      footer={
        <>
          <Button
            icon={<Copy />}
            onClick={() =>
              navigator.clipboard.writeText(text).then(
                () => toast(controls.copied),
                () => toast(controls.failed, { bad: true }),
              )
            }
          >
            {words.copy}
          </Button>
          <Button
            icon={<Download />}
            onClick={() => download(new Blob([`${text}\n`], { type: 'text/plain' }), 'recovery-codes.txt')}
          >
            {words.download}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {words.kept}
          </Button>
        </>
      }
    >
      <p>{words.codesHelp}</p>
      <ul className={styles.codes} aria-label={words.recovery}>
        {codes.map((code) => (
          <li key={code}>
            <Ltr>{code}</Ltr>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

interface SetupProps {
  onDone: (codes: string[]) => unknown
  onClose: () => void
}

const AuthenticatorSetup = ({
  secret,
  address,
  run,
  onDone,
  onClose,
}: SetupProps & { secret: string; address: string; run: Run }) => {
  const words = useSecondFactorWords()
  let codes: string[] = []
  const form = useForm({ code: '' }, (_changes, { code }) =>
    run(async () => {
      codes = (await secondFactorApi.confirmAuthenticator(code)).recovery_codes
    }),
  )
  return (
    <FormDialog
      title={words.addAuthenticator}
      act={words.finish}
      form={form}
      shown={['code']}
      onDone={() => onDone(codes)}
      onClose={onClose}
    >
      <div className={styles.setup}>
        <p>{words.scan}</p>
        <QrCode text={address} label={words.qr} className={styles.qr} />
        <p>
          {words.key}:{' '}
          <span className={styles.key}>
            <Ltr>{(secret.match(/.{1,4}/g) ?? []).join(' ')}</Ltr>
          </span>
        </p>
        <TextField
          label={words.firstCode}
          autoComplete="one-time-code"
          inputMode="numeric"
          dir="ltr"
          {...form.field('code')}
        />
      </div>
    </FormDialog>
  )
}

const PasskeySetup = ({ run, onDone, onClose }: SetupProps & { run: Run }) => {
  const words = useSecondFactorWords()
  const { account } = useMessages()
  let codes: string[] = []
  const form = useForm({ name: describeAgent(navigator.userAgent).slice(0, 100) }, (_changes, { name }) =>
    run(async () => {
      try {
        codes = (await secondFactorApi.addPasskey(name)).recovery_codes
      } catch (error) {
        // The browser's own words are for developers.
        throw error instanceof DOMException ? new Error(account.noPasskey) : error
      }
    }),
  )
  return (
    <FormDialog
      title={words.addPasskey}
      act={words.addPasskey}
      form={form}
      shown={['name']}
      onDone={() => onDone(codes)}
      onClose={onClose}
    >
      <TextField
        label={words.passkeyName}
        help={words.passkeyNameHelp}
        dir="auto"
        maxLength={100}
        {...form.field('name')}
      />
    </FormDialog>
  )
}

type Opened =
  | { kind: 'authenticator'; secret: string; address: string }
  | { kind: 'passkey' }
  | { kind: 'remove'; name: string; remove: () => Promise<unknown> }
  | { kind: 'renew' }

interface RowsProps {
  factors: FactorsInfo
  onOpen: (opened: Opened) => void
}

/** What the person has, each with its removal. */
const Rows = ({ factors, onOpen }: RowsProps) => {
  const words = useSecondFactorWords()
  const { account } = useMessages()
  const { has_authenticator, has_passkey, passkeys, recovery_codes, is_required } = factors
  const isLast = passkeys.length + (has_authenticator ? 1 : 0) === 1
  const removal = (name: string, remove: () => Promise<unknown>) => (
    <Button
      disabled={isLast && is_required}
      title={isLast && is_required ? words.lastStays : undefined}
      aria-label={`${words.remove}: ${name}`}
      onClick={() => onOpen({ kind: 'remove', name, remove })}
    >
      {words.remove}
    </Button>
  )
  return (
    <ul className={styles.factors}>
      {has_authenticator && (
        <li>
          <div>
            {words.authenticator}
            <small>{words.authenticatorHelp}</small>
          </div>
          {removal(words.authenticator, secondFactorApi.removeAuthenticator)}
        </li>
      )}
      {passkeys.map(({ id, name, used_at }) => (
        <li key={id}>
          <div>
            <span>
              {words.passkey}: <bdi>{name}</bdi>
            </span>
            <small>
              {used_at ? (
                <>
                  {account.lastUsed} <When at={used_at} />
                </>
              ) : (
                words.passkeyHelp
              )}
            </small>
          </div>
          {removal(name, () => secondFactorApi.removePasskey(id))}
        </li>
      ))}
      {(has_authenticator || has_passkey) && (
        <li>
          <div>
            {words.recovery}
            <small>{words.codesLeft(recovery_codes)}</small>
          </div>
          <Button onClick={() => onOpen({ kind: 'renew' })}>{words.renew}</Button>
        </li>
      )}
    </ul>
  )
}

/** Sets up, lists and removes second factors. `onCodes` gets recovery codes, which are shown once. */
export const SecondFactor = ({ onCodes }: { onCodes: (codes: string[]) => void }) => {
  const words = useSecondFactorWords()
  const messages = useMessages()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [opened, open] = useState<Opened>()
  const { data, error } = useQuery({ queryKey: ['second-factor'], queryFn: secondFactorApi.read })
  const close = () => open(undefined)
  const renew = () => queries.invalidateQueries({ queryKey: ['second-factor'] })
  const begin = () =>
    run(async () => open({ kind: 'authenticator', ...(await secondFactorApi.beginAuthenticator()) })).catch((error) =>
      toast(describeError(error, messages).message, { bad: true }),
    )
  const onDone = async (codes: string[]) => {
    toast(words.added)
    if (codes.length > 0) onCodes(codes)
    await renew()
  }
  if (!data) return error ? <Problem error={error} /> : <Skeleton lines={2} />
  return (
    <>
      {data.is_required && <p className={styles.help}>{words.required}</p>}
      <Rows factors={data} onOpen={open} />
      <div className={styles.add}>
        <Button icon={<Smartphone />} onClick={begin}>
          {data.has_authenticator ? words.replaceAuthenticator : words.addAuthenticator}
        </Button>
        {canUsePasskeys() && (
          <Button icon={<KeyRound />} onClick={() => open({ kind: 'passkey' })}>
            {words.addPasskey}
          </Button>
        )}
      </div>
      {!canUsePasskeys() && <p className={styles.help}>{words.onlyByName}</p>}
      {opened?.kind === 'authenticator' && <AuthenticatorSetup {...opened} run={run} onDone={onDone} onClose={close} />}
      {opened?.kind === 'passkey' && <PasskeySetup run={run} onDone={onDone} onClose={close} />}
      {opened?.kind === 'remove' && (
        <Confirm
          title={words.removeAsk(opened.name)}
          act={words.remove}
          danger
          onClose={close}
          onConfirm={async () => {
            await run(opened.remove)
            toast(words.removed)
            await renew()
          }}
        >
          {words.removeHelp}
        </Confirm>
      )}
      {opened?.kind === 'renew' && (
        <Confirm
          title={words.renewAsk}
          act={words.renew}
          onClose={close}
          onConfirm={() =>
            run(async () => {
              onCodes((await secondFactorApi.renewCodes()).recovery_codes)
              await renew()
            })
          }
        >
          {words.renewHelp}
        </Confirm>
      )}
      {dialog}
    </>
  )
}
