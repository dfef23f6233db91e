import { GripVertical, PencilLine, X } from 'lucide-react'
import { type DragEvent, type KeyboardEvent, memo, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { TextField } from '../../components/Field.tsx'
import { INVALID } from '../../components/Problem.tsx'
import { DropZone, UploadList, useUploads } from '../../components/Uploads.tsx'
import { useMessages } from '../../messages/messages.ts'
import { type Picture, pictureOf } from './draft.ts'
import styles from './Pictures.module.css'
import { useProductWords } from './words.ts'

const ACCEPTED = { picture: 'image/jpeg,image/png,image/webp,image/gif', video: 'video/mp4,video/webm' }

interface PicturesProps {
  kind: keyof typeof ACCEPTED
  pictures: readonly Picture[]
  /** A function of what there is: uploads end at any time. */
  onChange: (change: (pictures: readonly Picture[]) => readonly Picture[]) => void
  /** What is wrong with them, by place. */
  errors?: ReadonlyMap<number, readonly string[]>
  disabled: boolean
}

const NONE: ReadonlyMap<number, readonly string[]> = new Map()

const moved = (pictures: readonly Picture[], id: string, to: number) => {
  const picture = pictures.find((picture) => picture.id === id)
  const others = pictures.filter((picture) => picture.id !== id)
  return picture ? [...others.slice(0, to), picture, ...others.slice(to)] : pictures
}

const AltDialog = ({
  picture,
  onSave,
  onClose,
}: {
  picture: Picture
  onSave: (alt: string) => void
  onClose: () => void
}) => {
  const words = useProductWords()
  const { controls } = useMessages()
  const [alt, setAlt] = useState(picture.alt)
  return (
    <Dialog
      title={words.alt}
      onClose={onClose}
      onSubmit={() => {
        onSave(alt.trim())
        onClose()
      }}
      footer={
        <>
          <Button onClick={onClose}>{controls.cancel}</Button>
          <Button kind="primary" type="submit">
            {words.apply}
          </Button>
        </>
      }
    >
      <img className={styles.large} src={picture.src} alt="" />
      <TextField
        label={words.alt}
        help={words.altHelp}
        dir="auto"
        maxLength={1000}
        value={alt}
        onChange={({ target }) => setAlt(target.value)}
        autoFocus
      />
    </Dialog>
  )
}

/** Drop to upload, drag or press arrow keys to sort. Nothing is saved before the product is. */
export const Pictures = memo(({ kind, pictures, onChange, errors = NONE, disabled }: PicturesProps) => {
  const words = useProductWords()
  const { controls } = useMessages()
  const labels = words.media[kind]
  const { client, can } = useStore()
  const [dragged, setDragged] = useState<string>()
  const [editing, setEditing] = useState<Picture>()
  const mayUpload = can('file:upload') && !disabled
  const { uploads, add, retry, remove } = useUploads(
    async (file, options) => pictureOf(await client.files.upload(file, {}, options)),
    (picture) => onChange((pictures) => [...pictures, picture]),
  )
  const dragOver = (to: number) => (event: DragEvent) => {
    if (dragged === undefined) return
    event.preventDefault()
    onChange((pictures) => (pictures[to]?.id === dragged ? pictures : moved(pictures, dragged, to)))
  }
  const press = (id: string, at: number) => (event: KeyboardEvent) => {
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const step = event.key === forward || event.key === 'ArrowDown' ? 1 : event.key.startsWith('Arrow') ? -1 : 0
    const to = at + step
    if (step === 0) return
    event.preventDefault()
    if (to >= 0 && to < pictures.length) onChange((pictures) => moved(pictures, id, to))
  }
  const board = pictures.length > 0 && (
    <ul className={styles.board}>
      {pictures.map((picture, at) => {
        const number = String(at + 1)
        return (
          <li
            key={picture.id}
            {...(errors.has(at) && INVALID)}
            draggable={!disabled}
            data-dragged={picture.id === dragged || undefined}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move'
              setDragged(picture.id)
            }}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={dragOver(at)}
            onDrop={(event) => dragged !== undefined && event.preventDefault()}
          >
            {kind === 'picture' ? (
              <img src={picture.src} alt={picture.alt || labels.number(number)} draggable={false} />
            ) : (
              <video src={picture.src} aria-label={labels.number(number)} preload="metadata" muted />
            )}
            {!disabled && (
              <div className={styles.tools}>
                <button type="button" aria-label={labels.move(number)} onKeyDown={press(picture.id, at)}>
                  <GripVertical />
                </button>
                {mayUpload && kind === 'picture' && (
                  <button type="button" aria-label={words.editPicture(number)} onClick={() => setEditing(picture)}>
                    <PencilLine />
                  </button>
                )}
                <button
                  type="button"
                  aria-label={labels.remove(number)}
                  onClick={() => onChange((pictures) => pictures.filter(({ id }) => id !== picture.id))}
                >
                  <X />
                </button>
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
  const wrong = errors.size > 0 && (
    <ul className={styles.errors}>
      {[...errors].map(([at, sentences]) => (
        <li key={at}>{controls.labelled(labels.number(String(at + 1)), sentences.join(' '))}</li>
      ))}
    </ul>
  )
  return (
    <>
      {wrong}
      {mayUpload ? (
        <DropZone accept={ACCEPTED[kind]} hint={labels.drop} choose={labels.choose} help={labels.limit} onFiles={add}>
          {board}
          <UploadList uploads={uploads} onRetry={retry} onRemove={remove} />
        </DropZone>
      ) : (
        board
      )}
      {editing && (
        <AltDialog
          picture={editing}
          onSave={(alt) =>
            onChange((pictures) => pictures.map((other) => (other.id === editing.id ? { ...other, alt } : other)))
          }
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  )
})
