import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { useMessages } from '../../messages/messages.ts'
import { DigitalFileField } from './DigitalFileField.tsx'
import type { DigitalFile, Draft, Picture, Variant } from './draft.ts'
import styles from './VariantMedia.module.css'
import { useProductWords } from './words.ts'

interface VariantMediaProps {
  variant: Variant
  title: string
  product: Pick<Draft, 'images' | 'is_digital'>
  onChange: (changes: { image?: Picture | null; file?: DigitalFile | null }) => void
  onClose: () => void
}

/** The picture of a variant, one of the product's, and the file of a digital one. Saved with the product. */
export const VariantMedia = ({ variant, title, product, onChange, onClose }: VariantMediaProps) => {
  const words = useProductWords()
  const { controls } = useMessages()
  const { image } = variant
  // A picture that only the variant has can be kept.
  const choices =
    image && !product.images.some(({ id }) => id === image.id) ? [image, ...product.images] : product.images
  return (
    <Dialog title={title} onClose={onClose} footer={<Button onClick={onClose}>{controls.close}</Button>}>
      <fieldset className={styles.choices}>
        <legend>{words.picture}</legend>
        {choices.length === 0 && <p className={styles.none}>{words.noPicturesYet}</p>}
        {choices.map((picture, at) => (
          <label key={picture.id}>
            <input
              type="radio"
              name="picture"
              aria-label={picture.alt || words.media.picture.number(String(at + 1))}
              checked={picture.id === image?.id}
              onChange={() => onChange({ image: picture })}
            />
            <img src={picture.src} alt="" />
          </label>
        ))}
        {choices.length > 0 && (
          <label>
            <input type="radio" name="picture" checked={image === null} onChange={() => onChange({ image: null })} />
            <span>{words.noPicture}</span>
          </label>
        )}
      </fieldset>
      {product.is_digital && (
        <section className={styles.section}>
          <h3>{words.file}</h3>
          <DigitalFileField file={variant.file} disabled={false} onChange={(file) => onChange({ file })} />
        </section>
      )}
    </Dialog>
  )
}
