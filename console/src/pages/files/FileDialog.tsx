import { useQuery } from '@tanstack/react-query'
import { ExternalLink, Trash2, Unlink } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Client, useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { describeError } from '../../components/describe-error.ts'
import { AreaField } from '../../components/Field.tsx'
import { Ltr } from '../../components/Ltr.tsx'
import { Problem } from '../../components/Problem.tsx'
import { SaveProblem } from '../../components/SaveProblem.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useDelete } from '../../components/useDelete.ts'
import { useForm } from '../../components/useForm.ts'
import { When } from '../../components/When.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './FilesPage.module.css'
import { Preview, type StoredFile, useSize } from './file-look.tsx'
import { useFileWords } from './words.ts'

type FileUse = Awaited<ReturnType<Client['files']['listFileLinks']>>[number]

const AltText = ({
  file,
  onSaved,
  onReload,
}: {
  file: StoredFile
  onSaved: () => unknown
  onReload: () => unknown
}) => {
  const words = useFileWords()
  const { controls } = useMessages()
  const { client, can } = useStore()
  const toast = useToast()
  const form = useForm(
    { alt: file.alt },
    ({ alt = '' }, _values, newest: StoredFile | undefined) =>
      client.files.update(file.id, { alt }, { ifMatch: newest ?? file }),
    { read: () => client.files.get(file.id), valuesOf: ({ alt }) => ({ alt }) },
  )
  return (
    <form
      className={styles.alt}
      noValidate
      onSubmit={async (event) => {
        event.preventDefault()
        if (!(await form.submit())) return
        toast(words.saved)
        await onSaved()
      }}
    >
      <SaveProblem error={form.error} shown={['alt']} onReload={onReload} />
      <AreaField
        label={words.alt}
        help={words.altHelp}
        rows={2}
        maxLength={1000}
        dir="auto"
        disabled={!can('file:upload')}
        {...form.field('alt')}
      />
      {form.isDirty && (
        <div>
          <Button kind="primary" type="submit" busy={form.busy}>
            {controls.save}
          </Button>
        </div>
      )}
    </form>
  )
}

const Uses = ({
  file,
  links,
  onUnlinked,
}: {
  file: StoredFile
  links: readonly FileUse[]
  onUnlinked: () => unknown
}) => {
  const messages = useMessages()
  const words = useFileWords()
  const { store, client, can } = useStore()
  const toast = useToast()
  const addressOf = ({ fileable_type, fileable_id, product_id }: FileUse) => {
    if (fileable_type === 'landing_page') return `/s/${store.id}/landing-pages/${fileable_id}`
    if (fileable_type === 'policy') return `/s/${store.id}/settings?section=policies`
    if (fileable_type === 'store') return `/s/${store.id}/orders/print`
    if (fileable_type === 'review') return `/s/${store.id}/reviews?status=all&product_id=${product_id}`
    return `/s/${store.id}/products/${product_id}`
  }
  const unlink = async ({ fileable_type, fileable_id }: FileUse) => {
    try {
      if (fileable_type === 'store') await client.setting.updateSettings({ logo_id: null })
      else if (fileable_type !== 'policy')
        await client.files.unlink(file.id, fileable_type, fileable_id, { ifMatch: file })
      toast(words.unlinked)
      await onUnlinked()
    } catch (error) {
      toast(describeError(error, messages).message, { bad: true })
    }
  }
  return (
    <section className={styles.uses}>
      <h3>{words.links}</h3>
      {links.length === 0 && <p className={styles.muted}>{words.unused}</p>}
      <ul>
        {links.map((link) => (
          <li key={`${link.fileable_id} ${link.role}`}>
            <div>
              <Link href={addressOf(link)}>
                <bdi>{link.title}</bdi>
              </Link>
              <small>{words.roles[link.role]}</small>
            </div>
            {link.role !== 'in_text' && can(link.fileable_type === 'store' ? 'setting:update' : 'file:delete') && (
              <Button
                kind="quiet"
                icon={<Unlink />}
                aria-label={`${words.unlink}: ${link.title}`}
                onClick={() => unlink(link)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** One file: what it is, what it says, where it is used. */
export const FileDialog = ({
  id,
  name,
  onChanged,
  onClose,
}: {
  id: string
  name: string
  onChanged: () => unknown
  onClose: () => void
}) => {
  const words = useFileWords()
  const { controls } = useMessages()
  const { store, client, can } = useStore()
  const deleteRows = useDelete()
  const size = useSize()
  const [deleting, setDeleting] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [store.id, 'file', id],
    queryFn: async ({ signal }) => {
      const [file, links] = await Promise.all([
        client.files.get(id, { signal }),
        client.files.listFileLinks(id, { signal }),
      ])
      return { file, links }
    },
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
  const changed = async () => {
    await refetch()
    await onChanged()
  }
  const remove = async () => {
    const isHidden = await deleteRows({
      rows: [{ id, name }],
      read: client.files.get,
      remove: client.files.delete,
      done: controls.labelled(words.deleted, name),
      renew: onChanged,
    })
    if (isHidden) onClose()
  }
  if (deleting)
    return (
      <Confirm title={words.delete} act={words.delete} danger onClose={() => setDeleting(false)} onConfirm={remove}>
        {words.deleteAsk(name)}
      </Confirm>
    )
  return (
    <Dialog
      title={name}
      wide
      onClose={onClose}
      footer={
        can('file:delete') && (
          <Button
            kind="danger"
            icon={<Trash2 />}
            onClick={() => (data && data.links.length === 0 ? remove() : setDeleting(true))}
          >
            {words.delete}
          </Button>
        )
      }
    >
      <Problem error={error ?? undefined} />
      {data && (
        <div className={styles.detail}>
          <div className={styles.large}>
            <Preview file={data.file} />
            {data.file.url && (
              <a href={data.file.url} target="_blank" rel="noreferrer noopener">
                {words.open} <ExternalLink aria-hidden />
              </a>
            )}
          </div>
          <div className={styles.about}>
            <dl>
              <div>
                <dt>{words.type}</dt>
                <dd>
                  <Ltr>{data.file.mime_type}</Ltr>
                </dd>
              </div>
              <div>
                <dt>{words.size}</dt>
                <dd>{size(data.file.size)}</dd>
              </div>
              <div>
                <dt>{words.created}</dt>
                <dd>
                  <When at={data.file.created_at} zone={store.time_zone} />
                </dd>
              </div>
            </dl>
            {data.file.mime_type.startsWith('image/') && (
              <AltText key={data.file.alt} file={data.file} onSaved={changed} onReload={refetch} />
            )}
            <Uses file={data.file} links={data.links} onUnlinked={changed} />
          </div>
        </div>
      )}
    </Dialog>
  )
}
