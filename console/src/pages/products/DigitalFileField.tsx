import { FileDown, X } from 'lucide-react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { DropZone, UploadList, useUploads } from '../../components/Uploads.tsx'
import type { DigitalFile } from './draft.ts'
import styles from './VariantMedia.module.css'
import { useProductWords } from './words.ts'

interface DigitalFileFieldProps {
  file: DigitalFile | null
  onChange: (file: DigitalFile | null) => void
  disabled: boolean
}

/** The file that a buyer downloads: dropped, replaced by another, or taken away. */
export const DigitalFileField = ({ file, onChange, disabled }: DigitalFileFieldProps) => {
  const words = useProductWords()
  const { client, can } = useStore()
  const { uploads, add, retry, remove } = useUploads(
    (file, options) => client.files.upload(file, {}, options),
    ({ id, name }) => onChange({ id, name }),
  )
  const shown = file ? (
    <p className={styles.file}>
      <FileDown aria-hidden />
      <bdi>{file.name}</bdi>
      {!disabled && (
        <Button kind="quiet" icon={<X />} aria-label={words.removeFile(file.name)} onClick={() => onChange(null)} />
      )}
    </p>
  ) : (
    <p className={styles.none}>{words.noFile}</p>
  )
  if (disabled || !can('file:upload')) return shown
  return (
    <DropZone
      hint={words.dropFile}
      choose={words.chooseFile}
      help={words.fileHelp}
      onFiles={(files) => add(files.slice(0, 1))}
    >
      {shown}
      <UploadList uploads={uploads} onRetry={retry} onRemove={remove} />
    </DropZone>
  )
}
