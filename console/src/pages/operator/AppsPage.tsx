import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Blocks, Copy, Ellipsis, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type AppSecretsInfo, type OperatorAppInfo, operatorApi } from '../../api/console.ts'
import { base } from '../../base-url.ts'
import { Badge, type Tone } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FormDialog } from '../../components/FormDialog.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Menu, MenuItem, MenuLine } from '../../components/Menu.tsx'
import { Page, Surface } from '../../components/Page.tsx'
import { useStepUp } from '../../components/StepUp.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useForm } from '../../components/useForm.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import { AppIcon } from '../apps/AppIcon.tsx'
import styles from '../apps/Apps.module.css'
import { useAppWords } from '../apps/words.ts'
import { useServiceAppWords } from './app-words.ts'
import { useAllAppsTitle } from './titles.ts'

const QUERY = ['service', 'apps']

type Run = (act: () => Promise<unknown>) => Promise<void>

const TONES: Record<OperatorAppInfo['state'], Tone> = {
  listed: 'good',
  unlisted: 'plain',
  disabled: 'bad',
  unregistered: 'plain',
}

/** What is shown once: the credentials of an app. */
const Secrets = ({ secrets, onClose }: { secrets: AppSecretsInfo; onClose: () => void }) => {
  const { controls } = useMessages()
  const words = useServiceAppWords()
  const toast = useToast()
  const rows = [
    [words.clientId, secrets.client_id],
    [words.secret, secrets.client_secret],
    [words.lifecycleSecret, secrets.lifecycle_secret],
  ] as const
  return (
    <Dialog title={words.secretTitle} onClose={onClose} footer={<Button onClick={onClose}>{controls.close}</Button>}>
      <p>{words.secretHelp}</p>
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label} className={styles.secret}>
              <TextField label={label} dir="ltr" readOnly value={value} onFocus={({ target }) => target.select()} />
              <Button
                icon={<Copy />}
                aria-label={`${words.copy}: ${label}`}
                onClick={() =>
                  navigator.clipboard.writeText(value).then(
                    () => toast(controls.copied),
                    () => toast(controls.failed, { bad: true }),
                  )
                }
              />
            </div>
          ),
      )}
    </Dialog>
  )
}

type From = 'address' | 'file'

const ManifestFile = ({
  errors,
  onText,
}: {
  errors?: readonly string[] | undefined
  onText: (text: string) => void
}) => {
  const words = useServiceAppWords()
  return (
    <TextField
      label={words.file}
      type="file"
      accept="application/json,.json"
      errors={errors}
      onChange={({ target }) => target.files?.[0]?.text().then(onText)}
    />
  )
}

const FIELDS = ['url', 'manifest', 'listing', 'from']

const RegisterForm = ({
  run,
  onSecrets,
  onClose,
}: {
  run: Run
  onSecrets: (secrets: AppSecretsInfo) => void
  onClose: () => void
}) => {
  const messages = useMessages()
  const words = useServiceAppWords()
  const queries = useQueryClient()
  const form = useForm(
    { from: 'address' as From, url: '', manifest: '', listing: 'listed' as 'listed' | 'unlisted' },
    async (_changes, { from, url, manifest, listing }) => {
      await run(async () => {
        const source = from === 'address' ? { url } : { manifest }
        onSecrets((await operatorApi.registerApp({ ...source, listing })).secrets)
      })
    },
  )
  const errors = describeError(form.error ?? '', messages).fields
  return (
    <FormDialog
      title={words.register}
      act={words.register}
      form={form}
      shown={FIELDS}
      onDone={() => queries.invalidateQueries({ queryKey: QUERY })}
      onClose={onClose}
    >
      <SelectField
        label={words.from}
        choices={[
          { value: 'address', label: words.fromAddress },
          { value: 'file', label: words.fromFile },
        ]}
        {...form.field('from')}
      />
      {form.values.from === 'address' ? (
        <TextField
          label={words.address}
          help={words.addressHelp}
          type="url"
          dir="ltr"
          {...form.field('url')}
          errors={errors.url ?? errors.manifest}
        />
      ) : (
        <ManifestFile errors={errors.manifest} onText={(manifest) => form.set({ manifest })} />
      )}
      <SelectField
        label={words.listing}
        choices={[
          { value: 'listed', label: words.listings.listed },
          { value: 'unlisted', label: words.listings.unlisted },
        ]}
        {...form.field('listing')}
      />
    </FormDialog>
  )
}

/** Reads the manifest of an app that was registered from a file again, from a file. */
const RefreshForm = ({ app, run, onClose }: { app: OperatorAppInfo; run: Run; onClose: () => void }) => {
  const messages = useMessages()
  const words = useServiceAppWords()
  const queries = useQueryClient()
  const form = useForm({ manifest: '' }, (_changes, { manifest }) =>
    run(() => operatorApi.refreshApp(app.id, manifest)),
  )
  return (
    <FormDialog
      title={words.refresh}
      act={words.refresh}
      form={form}
      shown={['manifest']}
      onDone={() => queries.invalidateQueries({ queryKey: QUERY })}
      onClose={onClose}
    >
      <ManifestFile
        errors={describeError(form.error ?? '', messages).fields.manifest}
        onText={(manifest) => form.set({ manifest })}
      />
    </FormDialog>
  )
}

type Opened = 'disable' | 'rotate' | 'refresh'

const Actions = ({ app, onOpen, onAct }: { app: OperatorAppInfo; onOpen: (what: Opened) => void; onAct: Act }) => {
  const { controls } = useMessages()
  const words = useServiceAppWords()
  const toast = useToast()
  const [, navigate] = useLocation()
  const link = `${location.origin}${base}/authorize?${new URLSearchParams({ client_id: app.client_id })}`
  return (
    <Menu trigger={<Button kind="quiet" icon={<Ellipsis />} aria-label={`${controls.more}: ${app.name}`} />}>
      <MenuItem onSelect={() => navigate(`/apps/${app.id}/log`)}>{words.calls}</MenuItem>
      <MenuItem onSelect={() => navigate(`/apps/${app.id}/playground`)}>{words.playground}</MenuItem>
      <MenuLine />
      {app.has_manifest && (
        <>
          <MenuItem
            onSelect={() =>
              app.source_url ? onAct(() => operatorApi.refreshApp(app.id), words.refreshed) : onOpen('refresh')
            }
          >
            {words.refresh}
          </MenuItem>
          <MenuItem
            onSelect={() =>
              onAct(
                () => operatorApi.changeApp(app.id, { listing: app.is_listed ? 'unlisted' : 'listed' }),
                words.saved,
              )
            }
          >
            {app.is_listed ? words.unlist : words.list}
          </MenuItem>
          <MenuItem
            onSelect={() =>
              navigator.clipboard.writeText(link).then(
                () => toast(controls.copied),
                () => toast(controls.failed, { bad: true }),
              )
            }
          >
            {words.link}
          </MenuItem>
        </>
      )}
      <MenuItem onSelect={() => onOpen('rotate')}>{words.rotate}</MenuItem>
      {app.state === 'disabled' ? (
        <MenuItem onSelect={() => onAct(() => operatorApi.changeApp(app.id, { disabled: false }), words.saved)}>
          {words.enable}
        </MenuItem>
      ) : (
        <MenuItem danger onSelect={() => onOpen('disable')}>
          {words.disable}
        </MenuItem>
      )}
    </Menu>
  )
}

type Act = (act: () => Promise<unknown>, done: string) => void

const Row = ({ app, onOpen, onAct }: { app: OperatorAppInfo; onOpen: (what: Opened) => void; onAct: Act }) => {
  const apps = useAppWords()
  const words = useServiceAppWords()
  return (
    <li>
      <AppIcon icon={app.icon} name={app.name} />
      <div>
        <span className={styles.name}>
          <Link href={`/apps/${app.id}/log`}>
            <strong dir="auto">{app.name}</strong>
          </Link>
          <Badge tone={TONES[app.state]}>{words.states[app.state]}</Badge>
        </span>
        <small>
          {app.developer && `${apps.by(app.developer)} · `}
          {words.storeCount(app.stores)}
          {app.source_url && app.checked_at && (
            <>
              {' · '}
              {words.checked} <When at={app.checked_at} />
            </>
          )}
        </small>
        {!app.has_manifest && <small>{words.noManifest}</small>}
        {app.fault && (
          <small className={styles.fault}>
            {words.fault} <bdi>{app.fault}</bdi>
          </small>
        )}
      </div>
      <Actions app={app} onOpen={onOpen} onAct={onAct} />
    </li>
  )
}

/** The apps that stores of this service can install. */
const AppsPage = () => {
  const messages = useMessages()
  const title = useAllAppsTitle()
  const words = useServiceAppWords()
  const queries = useQueryClient()
  const toast = useToast()
  const { run, dialog } = useStepUp()
  const [opened, open] = useState<{ what: 'register' } | { what: Opened; app: OperatorAppInfo }>()
  const [secrets, setSecrets] = useState<AppSecretsInfo>()
  const query = useQuery({ queryKey: QUERY, queryFn: () => operatorApi.apps() })
  const close = () => open(undefined)
  const renew = () => queries.invalidateQueries({ queryKey: QUERY })
  const act: Act = (work, done) =>
    run(work).then(
      async () => {
        toast(done)
        await renew()
      },
      async (error) => {
        const { message, fields } = describeError(error, messages)
        toast(Object.values(fields).flat()[0] ?? message, { bad: true })
        await renew()
      },
    )
  const apps = query.data?.apps
  return (
    <Page
      title={title}
      actions={
        <Button kind="primary" icon={<Plus />} onClick={() => open({ what: 'register' })}>
          {words.register}
        </Button>
      }
    >
      <p className={styles.help}>{words.help}</p>
      <Surface>
        <Loaded query={query}>
          {apps?.length === 0 && (
            <Empty title={words.empty} icon={<Blocks />}>
              {words.emptyHelp}
            </Empty>
          )}
          <ul className={styles.apps}>
            {apps?.map((app) => (
              <Row key={app.id} app={app} onOpen={(what) => open({ what, app })} onAct={act} />
            ))}
          </ul>
        </Loaded>
      </Surface>
      {opened?.what === 'register' && <RegisterForm run={run} onSecrets={setSecrets} onClose={close} />}
      {opened?.what === 'refresh' && <RefreshForm app={opened.app} run={run} onClose={close} />}
      {opened?.what === 'disable' && (
        <Confirm
          title={words.disableAsk(opened.app.name)}
          act={words.disable}
          danger
          onClose={close}
          onConfirm={async () => {
            await run(() => operatorApi.changeApp(opened.app.id, { disabled: true }))
            await renew()
          }}
        >
          {words.disableHelp}
        </Confirm>
      )}
      {opened?.what === 'rotate' && (
        <Confirm
          title={words.rotateAsk(opened.app.name)}
          act={words.rotate}
          onClose={close}
          onConfirm={() => run(async () => setSecrets((await operatorApi.rotateAppSecret(opened.app.id)).secrets))}
        >
          {words.rotateHelp}
        </Confirm>
      )}
      {secrets && !opened && <Secrets secrets={secrets} onClose={() => setSecrets(undefined)} />}
      {dialog}
    </Page>
  )
}

export default AppsPage
